/** How a CRD converts between its versions. */
import {
  childPath,
  forbiddenError,
  indexPath,
  invalidError,
  notSupportedError,
  requiredError,
} from '../schema/field-error.ts'
import { isObject, type JsonObject, own } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { objectAt, textAt, textsAt } from './crd-spec.ts'
import { labelProblems, subdomainProblems } from './validate-names.ts'

const PATH = 'spec.conversion'
const CLIENT = childPath(PATH, 'webhookClientConfig')
const REVIEWS = childPath(PATH, 'conversionReviewVersions')
const STRATEGIES = ['None', 'Webhook']
/** Review versions that this server speaks. */
const ACCEPTED_REVIEWS = ['v1', 'v1beta1']

export function checkConversion(conversion: JsonObject | undefined, preserves: boolean): FieldError[] {
  if (conversion === undefined) return []
  const strategy = textAt(conversion, 'strategy')
  const isPlain = strategy === 'None' || !preserves
  const detail = 'must be None if spec.preserveUnknownFields is true'
  return [
    ...(isPlain ? [] : [invalidError(childPath(PATH, 'strategy'), strategy, detail)]),
    ...checkWebhook(strategy, objectAt(conversion, 'webhook')),
  ]
}

function checkWebhook(strategy: string, webhook: JsonObject | undefined): FieldError[] {
  const client = objectAt(webhook, 'clientConfig')
  const reviews = textsAt(webhook, 'conversionReviewVersions')
  if (strategy === 'Webhook') return [...checkClient(client), ...checkReviews(reviews)]
  const detail = 'should not be set when strategy is not set to Webhook'
  return [
    ...checkStrategy(strategy),
    ...(client === undefined ? [] : [forbiddenError(CLIENT, detail)]),
    ...(reviews.length === 0 ? [] : [forbiddenError(REVIEWS, detail)]),
  ]
}

function checkStrategy(strategy: string): FieldError[] {
  const field = childPath(PATH, 'strategy')
  if (strategy === '') return [requiredError(field)]
  return STRATEGIES.includes(strategy) ? [] : [notSupportedError(field, strategy, STRATEGIES)]
}

function checkClient(client: JsonObject | undefined): FieldError[] {
  if (client === undefined) return [requiredError(CLIENT, 'required when strategy is set to Webhook')]
  const url = own(client, 'url') ?? undefined
  const service = own(client, 'service') ?? undefined
  if ((url === undefined) === (service === undefined)) {
    return [requiredError(CLIENT, 'exactly one of url or service is required')]
  }
  return url === undefined ? checkService(isObject(service) ? service : {}) : checkUrl(String(url))
}

const URL_FORM = '; desired format: https://host[/path]'

function checkUrl(text: string): FieldError[] {
  const field = childPath(CLIENT, 'url')
  const url = URL.parse(text)
  if (url === null) return [requiredError(field, `url must be a valid URL: ${text}${URL_FORM}`)]
  const scheme = url.protocol.replace(/:$/, '')
  const user = url.password === '' ? url.username : `${url.username}:${url.password}`
  const findings: Array<[boolean, string, string]> = [
    [scheme !== 'https', scheme, `'https' is the only allowed URL scheme${URL_FORM}`],
    [url.host === '', url.host, `host must be specified${URL_FORM}`],
    [user !== '', user, 'user information is not permitted in the URL'],
    [url.hash !== '', url.hash.slice(1), 'fragments are not permitted in the URL'],
    [url.search !== '', url.search.slice(1), 'query parameters are not permitted in the URL'],
  ]
  return findings.filter(([isBad]) => isBad).map(([, value, detail]) => invalidError(field, value, detail))
}

function checkService(service: JsonObject): FieldError[] {
  const path = childPath(CLIENT, 'service')
  const port = own(service, 'port') ?? 443
  const missing = ['name', 'namespace'].filter((field) => textAt(service, field) === '')
  const badPort = typeof port !== 'number' || port < 1 || port > 65535
  return [
    ...missing.map((field) => requiredError(childPath(path, field))),
    ...(badPort
      ? [invalidError(childPath(path, 'port'), port, 'port is not valid: must be between 1 and 65535, inclusive')]
      : []),
    ...checkServicePath(textAt(service, 'path'), childPath(path, 'path')),
  ]
}

function checkServicePath(text: string, field: string): FieldError[] {
  if (text === '' || text === '/') return []
  if (text === '//') return [invalidError(field, text, 'segment[0] may not be empty')]
  const segments = text.slice(1).replace(/\/$/, '').split('/')
  return [
    ...(text.startsWith('/') ? [] : [invalidError(field, text, "must start with a '/'")]),
    ...segments.flatMap((segment, index) => {
      if (segment === '') return [invalidError(field, text, `segment[${index}] may not be empty`)]
      return subdomainProblems(segment).map((problem) => invalidError(field, text, `segment[${index}]: ${problem}`))
    }),
  ]
}

function checkReviews(versions: readonly string[]): FieldError[] {
  if (versions.length === 0) return [requiredError(REVIEWS)]
  const errors = versions.flatMap((version, index) => {
    const field = indexPath(REVIEWS, index)
    if (versions.indexOf(version) < index) return [invalidError(field, version, 'duplicate version')]
    return labelProblems(version).map((problem) => invalidError(field, version, problem))
  })
  if (!versions.some((version) => ACCEPTED_REVIEWS.includes(version))) {
    errors.push(invalidError(REVIEWS, versions, `must include at least one of ${ACCEPTED_REVIEWS.join(', ')}`))
  }
  return errors
}
