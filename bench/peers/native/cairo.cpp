// Cairo's image backend. g++ -O3 -march=native -o cairo cairo.cpp -lcairo
#include <cairo/cairo.h>

#include "scene.hpp"

int main(int, char** argv) {
    Scene scene(argv[1]);
    cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, size, size);
    cairo_t* g = cairo_create(surface);
    cairo_set_line_cap(g, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(g, CAIRO_LINE_JOIN_ROUND);
    auto draw = [&](int c, bool fill, cairo_antialias_t quality) {
        cairo_identity_matrix(g);
        cairo_set_antialias(g, quality);
        cairo_set_operator(g, CAIRO_OPERATOR_CLEAR);
        cairo_paint(g);
        cairo_translate(g, -(c % cols) * size, -(c / cols) * size);
        for (const Stroke* s : scene.inCell[c]) {
            cairo_set_operator(g, s->erase ? CAIRO_OPERATOR_DEST_OUT : CAIRO_OPERATOR_OVER);
            cairo_set_source_rgba(g, (s->color >> 24) / 255., (s->color >> 16 & 255) / 255., (s->color >> 8 & 255) / 255., (s->color & 255) / 255.);
            cairo_new_path(g);
            if (fill) {
                for (auto& k : s->contours) {
                    for (size_t i = 0; i < k.size(); i += 2) i ? cairo_line_to(g, k[i], k[i + 1]) : cairo_move_to(g, k[i], k[i + 1]);
                    cairo_close_path(g);
                }
                cairo_fill(g);
            } else {
                for (size_t i = 0; i < s->line.size(); i += 2) i ? cairo_line_to(g, s->line[i], s->line[i + 1]) : cairo_move_to(g, s->line[i], s->line[i + 1]);
                if (s->line.size() == 2) cairo_close_path(g);
                cairo_set_line_width(g, s->width);
                cairo_stroke(g);
            }
        }
        cairo_surface_flush(surface);
    };
    return serve({
        {"Cairo fill, FAST", [&](int c) { draw(c, true, CAIRO_ANTIALIAS_FAST); }},
        {"Cairo fill, GOOD", [&](int c) { draw(c, true, CAIRO_ANTIALIAS_GOOD); }},
        {"Cairo stroke, GOOD", [&](int c) { draw(c, false, CAIRO_ANTIALIAS_GOOD); }},
    });
}
