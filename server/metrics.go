package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// counts is what /metrics tells.
type counts struct {
	registry *prometheus.Registry

	sockets, roomsOpen          prometheus.Gauge
	sent, sentBytes             prometheus.Counter
	received, receivedBytes     prometheus.Counter
	rejected, evicted           prometheus.Counter
	badMessages, refusedRequest *prometheus.CounterVec
	writing                     prometheus.Histogram
}

func newCounts() *counts {
	m := &counts{registry: prometheus.NewRegistry()}
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
		m.registry.MustRegister(g)
		return g
	}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
		m.registry.MustRegister(c)
		return c
	}
	vec := func(name, help, label string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
		m.registry.MustRegister(c)
		return c
	}
	m.sockets = gauge("fractal_sockets", "Open sockets.")
	m.roomsOpen = gauge("fractal_rooms", "Canvases in memory.")
	m.sent = counter("fractal_sent_messages_total", "Messages written to sockets.")
	m.sentBytes = counter("fractal_sent_bytes_total", "Bytes of messages written to sockets.")
	m.received = counter("fractal_received_messages_total", "Messages read from sockets.")
	m.receivedBytes = counter("fractal_received_bytes_total", "Bytes of messages read from sockets.")
	m.rejected = counter("fractal_rejected_undecoded_total", "Ops rejected because they could not be decoded.")
	m.evicted = counter("fractal_evicted_sockets_total", "Sockets closed because too much waited to be written.")
	m.writing = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "fractal_socket_write_seconds", Help: "Of what was waiting for one socket, until the system had taken it.",
		Buckets: prometheus.ExponentialBuckets(16e-6, 2, 20),
	})
	m.registry.MustRegister(m.writing)
	m.badMessages = vec("fractal_bad_messages_total", "Messages that were not understood, by what was wrong.", "what")
	m.refusedRequest = vec("fractal_refused_requests_total", "Requests not let in, by what was wrong.", "what")
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *counts) bad(what string) { m.badMessages.WithLabelValues(what).Inc() }

func (m *counts) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
