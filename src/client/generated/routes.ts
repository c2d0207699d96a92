/** Made by `npm run generate` out of the routes of the HTTP API; never edit it by hand. */
export const ROUTES = {
  createLease: { method: 'POST', path: '/v1/leases' },
  listLeases: { method: 'GET', path: '/v1/leases' },
  getLease: { method: 'GET', path: '/v1/leases/{id}' },
  extendLease: { method: 'PATCH', path: '/v1/leases/{id}' },
  releaseLease: { method: 'DELETE', path: '/v1/leases/{id}' },
  heartbeatLease: { method: 'POST', path: '/v1/leases/{id}/heartbeat' },
  watchLease: { method: 'GET', path: '/v1/leases/{id}/events' },
  getLeaseDiagnostics: { method: 'GET', path: '/v1/leases/{id}/diagnostics' },
  downloadLeaseDiagnostics: { method: 'GET', path: '/v1/leases/{id}/diagnostics/bundle' },
  listPools: { method: 'GET', path: '/v1/pools' },
  getPool: { method: 'GET', path: '/v1/pools/{name}' },
  explainPool: { method: 'GET', path: '/v1/pools/{name}/explain' },
  planPool: { method: 'GET', path: '/v1/pools/{name}/plan' },
  listPoolLeases: { method: 'GET', path: '/v1/pools/{name}/leases' },
  getStatus: { method: 'GET', path: '/v1/status' },
} as const
