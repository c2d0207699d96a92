import { isKubeError } from '../../../../kube/errors.ts'
import { DONE, type StepResult, waiting } from '../step-result.ts'
import { DEFAULT_NAMESPACE, type Gate, type GateContext } from './gate.ts'

const TOKEN_LIFE_SECONDS = 600

interface Answer {
  status?: { token?: string; authenticated?: boolean; error?: string }
}

/** Passes when the member accepts a token that it has just made for a service account: pods can then talk to it. */
export const inClusterToken: Gate = async (context, { namespace = DEFAULT_NAMESPACE, serviceAccount = 'default' }) => {
  const account = `${namespace}/${serviceAccount}`
  try {
    const token = await requestToken(context, namespace, serviceAccount)
    if (token === undefined) return waiting(`no token was made for ServiceAccount ${account}`)
    return await review(context, account, token)
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
    return waiting(`ServiceAccount ${account} does not exist`)
  }
}

async function requestToken({ client }: GateContext, namespace: string, account: string): Promise<string | undefined> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(account)}/token`
  const answer = await client.raw('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_LIFE_SECONDS },
  })
  return statusOf(answer).token
}

async function review({ client }: GateContext, account: string, token: string): Promise<StepResult> {
  const answer = await client.raw('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token },
  })
  const { authenticated, error } = statusOf(answer)
  if (authenticated === true) return DONE
  return waiting(`the token of ServiceAccount ${account} is not accepted${error ? `: ${error}` : ''}`)
}

function statusOf(answer: unknown): NonNullable<Answer['status']> {
  return typeof answer === 'object' && answer !== null ? ((answer as Answer).status ?? {}) : {}
}
