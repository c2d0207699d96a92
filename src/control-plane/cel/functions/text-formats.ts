/** Named formats of Kubernetes, such as that of a DNS label. [k8s: CEL format library] */
import { type CelValue, ListValue, NONE, OpaqueValue, OptionalValue } from '../cel-value.ts'
import { parseTimestamp } from '../time-text.ts'
import type { FunctionTable } from './overload.ts'

/** What is wrong with a text; empty: nothing. */
type Judge = (text: string) => string[]

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'

const LABEL_PROBLEM =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN_PROBLEM =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL_1035_PROBLEM =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
  "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?')"
const LABEL_VALUE_PROBLEM =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const NAME_PROBLEM =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

function judgeBy(pattern: string, max: number, problem: string): Judge {
  const form = new RegExp(`^(?:${pattern})$`)
  return (text) => [
    ...(text.length > max ? [`must be no more than ${max} ${max === 63 ? 'bytes' : 'bytes'}`] : []),
    ...(form.test(text) ? [] : [problem]),
  ]
}

/** Of a name's prefix the last dash does not count. */
function forPrefix(judge: Judge): Judge {
  return (text) => judge(text.endsWith('-') ? `${text.slice(0, -1)}a` : text)
}

const dns1123Label = judgeBy(LABEL, 63, LABEL_PROBLEM)
const dns1123Subdomain = judgeBy(SUBDOMAIN, 253, SUBDOMAIN_PROBLEM)
const dns1035Label = judgeBy('[a-z]([-a-z0-9]*[a-z0-9])?', 63, LABEL_1035_PROBLEM)
const labelValue = judgeBy(`(${QUALIFIED})?`, 63, LABEL_VALUE_PROBLEM)
const qualifiedPart = judgeBy(QUALIFIED, 63, NAME_PROBLEM)

function qualifiedName(text: string): string[] {
  const parts = text.split('/')
  if (parts.length > 2)
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ]
  const [prefix = '', name] = parts
  if (name === undefined) return qualifiedPart(prefix)
  const problems =
    prefix === '' ? ['prefix part must be non-empty'] : dns1123Subdomain(prefix).map((text) => `prefix part ${text}`)
  return [...problems, ...(name === '' ? ['name part must be non-empty'] : qualifiedPart(name))]
}

const oneOf =
  (isValid: (text: string) => boolean, problem: string): Judge =>
  (text) =>
    isValid(text) ? [] : [problem]

const FORMATS: Readonly<Record<string, Judge>> = {
  dns1123Label,
  dns1123Subdomain,
  dns1035Label,
  qualifiedName,
  dns1123LabelPrefix: forPrefix(dns1123Label),
  dns1123SubdomainPrefix: forPrefix(dns1123Subdomain),
  dns1035LabelPrefix: forPrefix(dns1035Label),
  labelValue,
  uri: oneOf((text) => URL.canParse(text) || text.startsWith('/'), 'invalid URI'),
  uuid: oneOf(
    (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
    'does not match the UUID format',
  ),
  byte: oneOf(
    (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
    'invalid base64',
  ),
  date: oneOf((text) => parseTimestamp(`${text}T00:00:00Z`) !== undefined, 'invalid date'),
  datetime: oneOf((text) => parseTimestamp(text) !== undefined, 'invalid datetime'),
}

function formatValue(name: string): OpaqueValue {
  return new OpaqueValue('kubernetes.NamedFormat', name, name)
}

function named(name: string): OptionalValue {
  return Object.hasOwn(FORMATS, name) ? new OptionalValue(formatValue(name)) : NONE
}

function validate(format: OpaqueValue, text: string): CelValue {
  const problems = FORMATS[format.identity]?.(text) ?? []
  return problems.length === 0 ? NONE : new OptionalValue(new ListValue(problems))
}

export const TEXT_FORMATS: FunctionTable = {
  'format.named(string): optional<kubernetes.NamedFormat>': named,
  'kubernetes.NamedFormat.validate(string): optional<list<string>>': validate,
  ...Object.fromEntries(
    Object.keys(FORMATS).map((name) => [`format.${name}(): kubernetes.NamedFormat`, () => formatValue(name)]),
  ),
}
