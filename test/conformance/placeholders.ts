/**
 * Replaces what differs from run to run by placeholders that keep identity: the same uid is the same placeholder in all
 * steps of a scenario, and each new resourceVersion of an object the next one of that object. Named after the object, so
 * that one difference does not shift the placeholders of all that follows.
 */

type Json = Record<string, unknown>

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const AGE = /^(<unknown>|(\d+[smhdy])+|<invalid>)$/
const CLUSTER_IP = /10\.(\d+)\.(\d+)\.(\d+)/g
/** An object that an error message quotes: escaped JSON. */
const QUOTED_OBJECT = /Invalid value: "\{\\?"apiVersion.*?\}": /g
const TWO_DAYS_MS = 2 * 24 * 3_600_000

export interface NormaliseOptions {
  readonly showsManagedFields: boolean
  /** Self-made addresses of the server under test. */
  readonly url: string
}

export class Placeholders {
  readonly #options: NormaliseOptions
  readonly #uids = new Map<string, string>()
  readonly #versions = new Map<string, string[]>()
  readonly #generated = new Map<string, string>()
  readonly #addresses = new Map<string, string>()
  readonly #ports = new Map<number, string>()

  constructor(options: NormaliseOptions) {
    this.#options = options
  }

  /** Of a parsed answer or event. */
  normalise(value: unknown): unknown {
    this.#learn(value)
    return sortFindings(this.#walk(value, ''))
  }

  /** Of an answer that is not JSON. */
  text(value: string): string {
    return this.#text(value)
  }

  /** Names uids and generated names before any text that holds them is replaced. */
  #learn(value: unknown): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#learn(item)
    } else if (isObject(value)) {
      if (isObject(value['metadata'])) this.#learnMeta(value['metadata'])
      for (const item of Object.values(value)) this.#learn(item)
    }
  }

  #learnMeta(meta: Json): void {
    const { name, uid, generateName } = meta
    if (typeof name === 'string' && typeof generateName === 'string' && isGenerated(name, generateName)) {
      if (!this.#generated.has(name))
        this.#generated.set(name, `${generateName}<generated-${this.#generated.size + 1}>`)
    }
    if (typeof uid === 'string' && !this.#uids.has(uid)) this.#uids.set(uid, this.#uidName(String(name)))
  }

  #uidName(name: string): string {
    const base = this.#generated.get(name) ?? name
    const taken = [...this.#uids.values()]
    for (let n = 1; ; n++) {
      const candidate = n === 1 ? `<uid of ${base}>` : `<uid of ${base}, ${n}>`
      if (!taken.includes(candidate)) return candidate
    }
  }

  #walk(value: unknown, key: string): unknown {
    if (typeof value === 'string') return this.#string(value, key)
    if (typeof value === 'number') return this.#number(value, key)
    if (Array.isArray(value)) return value.map((item) => this.#walk(item, key))
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(([name]) => this.#isKept(name, value))
    return Object.fromEntries(entries.map(([name, item]) => [this.#text(name), this.#member(value, name, item)]))
  }

  #isKept(name: string, owner: Json): boolean {
    if (name === 'managedFields') return this.#options.showsManagedFields
    // Columns of tables are described in the server's own words.
    return name !== 'description' || !('format' in owner && 'priority' in owner)
  }

  #member(owner: Json, name: string, item: unknown): unknown {
    if (name === 'resourceVersion' && typeof item === 'string') return this.#version(owner, item)
    if (name === 'serverAddress') return '<address>'
    if (name === 'continue' && typeof item === 'string') return item === '' ? '' : '<continue>'
    return this.#walk(item, name)
  }

  /** A list's version is as new as the last write to anything: it says nothing about the scenario. */
  #version(meta: Json, version: string): string {
    const { uid } = meta
    if (typeof uid !== 'string') return version === '' || version === '0' ? version : '<rv>'
    const known = this.#versions.get(uid) ?? []
    if (!known.includes(version)) known.push(version)
    this.#versions.set(uid, known)
    return `<rv ${known.indexOf(version) + 1}>`
  }

  #string(value: string, key: string): string {
    if (key === 'cells' && AGE.test(value)) return '<age>'
    if (TIME.test(value) && Math.abs(Date.now() - Date.parse(value)) < TWO_DAYS_MS) {
      return value.includes('.') ? '<micro time>' : '<time>'
    }
    return this.#text(value)
  }

  #number(value: number, key: string): unknown {
    if (key !== 'nodePort' && key !== 'healthCheckNodePort') return value
    if (!this.#ports.has(value)) this.#ports.set(value, `<node port ${this.#ports.size + 1}>`)
    return this.#ports.get(value)
  }

  #text(value: string): string {
    let text = value.replaceAll(this.#options.url, '<server>').replaceAll(hostOf(this.#options.url), '<address>')
    for (const [name, placeholder] of this.#generated) text = text.replaceAll(name, placeholder)
    return (
      text
        .replaceAll(UID, (uid) => this.#uids.get(uid) ?? '<unknown uid>')
        .replaceAll(CLUSTER_IP, (address) => this.#address(address))
        .replaceAll(/current: \d+/g, 'current: <rv>')
        .replaceAll(/in record \(\d+\)/g, 'in record (<rv>)')
        // A generated name that was refused is in no metadata.
        .replaceAll(/\bGen-[a-z0-9]{5}\b/g, 'Gen-<generated>')
        .replaceAll(QUOTED_OBJECT, 'Invalid value: <object>: ')
    )
  }

  #address(address: string): string {
    if (!this.#addresses.has(address)) this.#addresses.set(address, `<cluster ip ${this.#addresses.size + 1}>`)
    return this.#addresses.get(address) ?? address
  }
}

/**
 * The real server looks at the fields of a custom object in another order each time. The message repeats the causes.
 */
function sortFindings(status: unknown): unknown {
  if (!isObject(status) || !isObject(status['details'])) return status
  const { group, causes } = status['details']
  if (!String(group).endsWith('.example.com') || !Array.isArray(causes) || causes.length < 2) return status
  const sorted = causes.map((cause) => JSON.stringify(cause)).sort()
  const message = String(status['message']).replace(/is invalid: \[.*\]$/s, 'is invalid: [<causes>]')
  return { ...status, message, details: { ...status['details'], causes: sorted } }
}

function isGenerated(name: string, generateName: string): boolean {
  return name.startsWith(generateName) && name.length === generateName.length + 5
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hostOf(url: string): string {
  return url.replace('https://', '')
}
