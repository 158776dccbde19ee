import { brief } from "../src/ui/plane.ts";
import { equal, test } from "./harness.ts";

test("a magnification is shown as people read it", () => {
  equal(["7.1311287680000007e+01", "1e+00", "2.5e+05", "1.2345678e+30", "9.9999e+4000", "1e+12345", "nonsense"].map(brief),
    ["71.31", "1", "250,000", "1.235 × 10^30", "1 × 10^4001", "1 × 10^12345", "nonsense"]);
});
