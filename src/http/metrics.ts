/** Metrics of the HTTP side, in the registry of the process. No label holds an identity, a lease id or a path as sent. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface HttpMetrics {
  readonly requests: Counter<'method' | 'route' | 'status'>
  readonly requestSeconds: Histogram<'method' | 'route'>
  readonly authSuccess: Counter<'provider' | 'method'>
  readonly authFailure: Counter<'provider' | 'reason'>
  readonly claims: Counter<'profile' | 'event'>
  readonly connectOutcomes: Counter<'outcome'>
  readonly connectErrors: Counter<'reason'>
  readonly connectSeconds: Histogram<'kind'>
  readonly connectOpen: Gauge<'kind'>
}

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]
const CONNECT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export function createHttpMetrics(registry: Registry): HttpMetrics {
  const registers = [registry]
  return {
    requests: new Counter({
      name: 'kobe_http_requests_total',
      help: 'Answered API requests, by route pattern and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'kobe_http_request_duration_seconds',
      help: 'Time to answer an API request. Long polls count with the time they waited.',
      labelNames: ['method', 'route'],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
    authSuccess: new Counter({
      name: 'kobe_auth_success_total',
      help: 'Accepted credentials, by AccessPolicy and method.',
      labelNames: ['provider', 'method'],
      registers,
    }),
    authFailure: new Counter({
      name: 'kobe_auth_failure_total',
      help: 'Refused requests, by reason.',
      labelNames: ['provider', 'reason'],
      registers,
    }),
    claims: claims(registry),
    ...connectMetrics(registry),
  }
}

/** The operator counts further events of the same series (`bound`, `released`, `expired`): whoever comes first makes it. */
function claims(registry: Registry): Counter<'profile' | 'event'> {
  const name = 'kobe_claims_total'
  const existing = registry.getSingleMetric(name)
  if (existing instanceof Counter) return existing
  return new Counter({ name, help: 'Lease events by pool.', labelNames: ['profile', 'event'], registers: [registry] })
}

function connectMetrics(registry: Registry) {
  const registers = [registry]
  return {
    connectOutcomes: new Counter({
      name: 'kobe_connect_proxy_request_outcome_total',
      help: 'Requests and tunnels through /connect, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    connectErrors: new Counter({
      name: 'kobe_connect_proxy_error_reason_total',
      help: 'Failures of /connect that are not the fault of the caller, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    connectSeconds: new Histogram({
      name: 'kobe_connect_proxy_request_duration_seconds',
      help: 'Time until the leased cluster has answered (headers, or the handshake of a tunnel).',
      labelNames: ['kind'],
      buckets: CONNECT_BUCKETS,
      registers,
    }),
    connectOpen: new Gauge({
      name: 'kobe_connect_proxy_open',
      help: 'Requests (watches among them) and tunnels that are open now.',
      labelNames: ['kind'],
      registers,
    }),
  }
}
