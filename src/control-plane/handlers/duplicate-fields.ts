/**
 * Finds fields that a JSON text names twice in one object: `JSON.parse` silently keeps the last. The text is known to be
 * valid JSON, so the scan only follows its structure.
 */

interface Level {
  /** Names seen; absent for an array. */
  readonly names?: Set<string>
  readonly path: string
  index: number
  /** Path of the value that comes next. */
  next: string
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** Paths as in `spec.containers[0].name`, each once, in the order of the text. */
export function findDuplicateFields(text: string): string[] {
  const scan = new Scan(text)
  return scan.run()
}

class Scan {
  readonly #text: string
  readonly #found = new Set<string>()
  readonly #stack: Level[] = []
  #at = 0
  /** The next string in an object is a field's name. */
  #expectName = false

  constructor(text: string) {
    this.#text = text
  }

  run(): string[] {
    for (; this.#at < this.#text.length; this.#at += 1) this.#step(this.#text.charCodeAt(this.#at))
    return [...this.#found]
  }

  #step(code: number): void {
    if (code === QUOTE) this.#string()
    else if (code === OPEN_OBJECT) this.#open({ names: new Set(), path: this.#valuePath(), index: 0, next: '' })
    else if (code === OPEN_ARRAY) this.#open({ path: this.#valuePath(), index: 0, next: '' })
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) this.#close()
    else if (code === COMMA) this.#comma()
  }

  #close(): void {
    this.#stack.pop()
    this.#expectName = false
  }

  #open(level: Level): void {
    this.#stack.push(level)
    this.#expectName = level.names !== undefined
  }

  #comma(): void {
    const level = this.#stack.at(-1)
    if (level === undefined) return
    level.index += 1
    this.#expectName = level.names !== undefined
  }

  #valuePath(): string {
    const level = this.#stack.at(-1)
    if (level === undefined) return ''
    return level.names === undefined ? `${level.path}[${level.index}]` : level.next
  }

  #string(): void {
    const start = this.#at
    let end = start + 1
    for (let code = this.#text.charCodeAt(end); code !== 0x22 && end < this.#text.length; ) {
      end += code === 0x5c ? 2 : 1
      code = this.#text.charCodeAt(end)
    }
    this.#at = end
    const level = this.#stack.at(-1)
    if (!this.#expectName || level?.names === undefined) return
    this.#expectName = false
    const raw = this.#text.slice(start, end + 1)
    const name = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
    level.next = level.path === '' ? name : `${level.path}.${name}`
    if (level.names.has(name)) this.#found.add(level.next)
    else level.names.add(name)
  }
}
