// Anti-Grain Geometry. g++ -O3 -march=native -I/usr/include/agg2 -o agg agg.cpp -lagg
#include <agg_conv_stroke.h>
#include <agg_path_storage.h>
#include <agg_pixfmt_rgba.h>
#include <agg_rasterizer_scanline_aa.h>
#include <agg_renderer_base.h>
#include <agg_renderer_scanline.h>
#include <agg_rendering_buffer.h>
#include <agg_scanline_u.h>

#include "scene.hpp"

int main(int, char** argv) {
    Scene scene(argv[1]);
    std::vector<unsigned char> pixels(size * size * 4);
    agg::rendering_buffer buffer(pixels.data(), size, size, size * 4);
    agg::pixfmt_rgba32_pre format(buffer);
    agg::renderer_base<agg::pixfmt_rgba32_pre> base(format);
    agg::rasterizer_scanline_aa<> ras;
    agg::scanline_u8 line;
    auto draw = [&](int c, bool fill) {
        base.clear(agg::rgba8(0, 0, 0, 0));
        double ox = c % cols * size, oy = c / cols * size;
        ras.clip_box(0, 0, size, size);
        for (const Stroke* s : scene.inCell[c]) {
            ras.reset();
            ras.filling_rule(agg::fill_non_zero);
            if (fill) {
                for (auto& k : s->contours) {
                    for (size_t i = 0; i < k.size(); i += 2) i ? ras.line_to_d(k[i] - ox, k[i + 1] - oy) : ras.move_to_d(k[i] - ox, k[i + 1] - oy);
                    ras.close_polygon();
                }
            } else {
                agg::path_storage path;
                for (size_t i = 0; i < s->line.size(); i += 2) i ? path.line_to(s->line[i] - ox, s->line[i + 1] - oy) : path.move_to(s->line[i] - ox, s->line[i + 1] - oy);
                agg::conv_stroke<agg::path_storage> wide(path);
                wide.width(s->width);
                wide.line_cap(agg::round_cap);
                wide.line_join(agg::round_join);
                ras.add_path(wide);
            }
            agg::rgba8 color(s->color >> 24, s->color >> 16 & 255, s->color >> 8 & 255, s->color & 255);
            color.premultiply();
            agg::render_scanlines_aa_solid(ras, line, base, color);
        }
    };
    return serve({{"AGG fill", [&](int c) { draw(c, true); }}, {"AGG stroke", [&](int c) { draw(c, false); }}});
}
