// The file and the conversation of main.go, for programs in C++.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

constexpr int cols = 6, cells = 24, size = 256;

struct Stroke {
    uint32_t color;
    bool erase;
    float minX, minY, maxX, maxY, width;
    std::vector<float> line;
    std::vector<std::vector<float>> contours;
};

struct Scene {
    std::vector<Stroke> strokes;
    std::vector<const Stroke*> inCell[cells];

    explicit Scene(const char* path) {
        std::ifstream file(path, std::ios::binary);
        std::vector<char> data((std::istreambuf_iterator<char>(file)), {});
        const char* at = data.data();
        auto u = [&] { uint32_t v; memcpy(&v, at, 4); at += 4; return v; };
        auto f = [&] { float v; memcpy(&v, at, 4); at += 4; return v; };
        strokes.resize(u());
        for (Stroke& s : strokes) {
            s.color = u();
            s.erase = u();
            s.minX = f(), s.minY = f(), s.maxX = f(), s.maxY = f(), s.width = f();
            s.line.resize(2 * u());
            for (float& v : s.line) v = f();
            s.contours.resize(u());
            for (auto& c : s.contours) {
                c.resize(2 * u());
                for (float& v : c) v = f();
            }
        }
        for (int c = 0; c < cells; c++) {
            float x = c % cols * size, y = c / cols * size;
            for (const Stroke& s : strokes)
                if (s.maxX > x && s.minX < x + size && s.maxY > y && s.minY < y + size) inCell[c].push_back(&s);
        }
    }
};

inline double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

inline int serve(const std::vector<std::pair<std::string, std::function<void(int)>>>& peers) {
    for (size_t i = 0; i < peers.size(); i++) printf("%s%s", i ? "\t" : "", peers[i].first.c_str());
    printf("\n");
    fflush(stdout);
    for (std::string name; std::getline(std::cin, name);)
        for (auto& p : peers)
            if (p.first == name) {
                for (int c = 0; c < cells; c++) {
                    double begin = now();
                    p.second(c);
                    printf("%s%.6f", c ? "," : "[", now() - begin);
                }
                printf("]\n");
                fflush(stdout);
            }
    return 0;
}
