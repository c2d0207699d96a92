/** Which part may import which: DESIGN of the layers as rules. A finding names the rule; its comment says where the code belongs. */
const only = (name, comment, from, allowed) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: '\\.test\\.ts$' },
  to: { path: '^src/', pathNot: [from, ...allowed] },
})

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Split the shared part out.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    only('api-imports-nothing', 'api/ holds schemas and constants only.', '^src/api/', []),
    only('core-is-pure', 'core/ may see api/ only: gather what it needs in observe.ts and pass it in.', '^src/core/', [
      '^src/api/',
    ]),
    {
      name: 'core-no-node',
      comment: 'core/ has no I/O: no node built-ins and no packages that do I/O.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm'] },
    },
    only('kube-sees-api', 'kube/ is the only code that talks to a Kubernetes API; it decides nothing.', '^src/kube/', [
      '^src/api/',
    ]),
    only(
      'control-plane-stands-alone',
      'control-plane/ is a library of its own and knows nothing of Kobe.',
      '^src/control-plane/',
      [],
    ),
    only(
      'controllers',
      'controllers/ see core, kube and the adapter interfaces, never a concrete adapter.',
      '^src/controllers/',
      ['^src/api/', '^src/core/', '^src/kube/', '^src/backends/backend\\.ts$', '^src/providers/provider\\.ts$'],
    ),
    only(
      'simulated-world',
      'the simulated world is a client like any other: api, kube and the controller engine, nothing of Kobe.',
      '^src/simulated-world/',
      ['^src/api/', '^src/kube/', '^src/controllers/engine/'],
    ),
    only('providers', 'a provider sees api, core and kube.', '^src/providers/(?!simulated/)', [
      '^src/api/',
      '^src/core/',
      '^src/kube/',
    ]),
    only(
      'simulated-provider',
      'the cloud of the simulated provider moves simulated nodes, with the controller engine.',
      '^src/providers/',
      ['^src/api/', '^src/core/', '^src/kube/', '^src/simulated-world/', '^src/controllers/engine/'],
    ),
    only('backends', 'a backend sees api, core and kube; only embedded/ may see the control plane.', '^src/backends/', [
      '^src/api/',
      '^src/core/',
      '^src/kube/',
      '^src/control-plane/',
    ]),
    {
      name: 'only-embedded-sees-control-plane',
      severity: 'error',
      from: { path: '^src/backends/(?!embedded/)', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/control-plane/' },
    },
    only('http', 'http/ writes objects and reads caches; it never calls a controller.', '^src/http/', [
      '^src/api/',
      '^src/core/',
      '^src/kube/',
    ]),
    only('client', 'the client knows only the HTTP API, and the grammar of durations on its wire.', '^src/client/', [
      '^src/api/duration\\.ts$',
      '^src/config\\.ts$',
    ]),
    only(
      'cli',
      'the CLI knows only the HTTP API, through src/client/; `up` and `operator` go through src/up/ and src/operator.ts.',
      '^src/cli/',
      [
        '^src/api/duration\\.ts$',
        '^src/client/',
        '^src/up/',
        '^src/operator\\.ts$',
        '^src/config\\.ts$',
        '^src/main\\.ts$',
        '^src/version\\.ts$',
      ],
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Tests may import what they need, and the parser does not know `await using`.
    exclude: { path: '\\.test\\.ts$' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
