/** Finds the upstream files that the tables are generated from: public Go modules, fetched by the ordinary Go client at pinned versions. */
import { execFileSync } from 'node:child_process'

export const KUBERNETES_VERSION = 'v1.36.3'
const STAGING_VERSION = 'v0.36.3'

export interface Sources {
  /** Root of the main module: discovery and OpenAPI documents. */
  readonly kubernetes: string
  /** Roots of the modules that hold `generated.proto` and the Go types. */
  readonly types: readonly string[]
}

/** Answers undefined when there is no Go client on this machine: the tables are committed, so only regenerating needs it. */
export function findSources(): Sources | undefined {
  if (!hasGo()) return undefined
  const staging = ['api', 'apimachinery', 'apiextensions-apiserver', 'kube-aggregator']
  return {
    kubernetes: moduleFolder(`k8s.io/kubernetes@${KUBERNETES_VERSION}`),
    types: staging.map((name) => moduleFolder(`k8s.io/${name}@${STAGING_VERSION}`)),
  }
}

function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function moduleFolder(module: string): string {
  const answer: unknown = JSON.parse(
    execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8', cwd: '/' }),
  )
  if (typeof answer === 'object' && answer !== null && 'Dir' in answer && typeof answer.Dir === 'string')
    return answer.Dir
  throw new Error(`go mod download named no folder for ${module}`)
}
