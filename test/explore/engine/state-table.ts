/** Set of states by a 64-bit hash of their text, in typed arrays: about 24 bytes a state. States are numbered from 0. */

const START = 1 << 12

export class StateTable {
  #slots = new Int32Array(START).fill(-1)
  #low = new Uint32Array(START)
  #high = new Uint32Array(START)
  #count = 0

  get size(): number {
    return this.#count
  }

  /** The number of the state, and whether it is new. Two texts with one hash are taken for one: 1 in 10^7 for a million states. */
  add(text: string): { readonly index: number; readonly isNew: boolean } {
    const [low, high] = hash64(text)
    const slot = this.#find(low, high)
    const found = this.#slots[slot] ?? -1
    if (found >= 0) return { index: found, isNew: false }
    const index = this.#count
    this.#slots[slot] = index
    if (index >= this.#low.length) this.#growKeys()
    this.#low[index] = low
    this.#high[index] = high
    this.#count += 1
    if (this.#count * 2 > this.#slots.length) this.#rehash()
    return { index, isNew: true }
  }

  #find(low: number, high: number): number {
    const mask = this.#slots.length - 1
    for (let slot = (low ^ (high << 7)) & mask; ; slot = (slot + 1) & mask) {
      const index = this.#slots[slot] ?? -1
      if (index < 0 || (this.#low[index] === low && this.#high[index] === high)) return slot
    }
  }

  #growKeys(): void {
    this.#low = grown(this.#low)
    this.#high = grown(this.#high)
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1)
    for (let index = 0; index < this.#count; index += 1) {
      this.#slots[this.#find(this.#low[index] ?? 0, this.#high[index] ?? 0)] = index
    }
  }
}

const grown = (array: Uint32Array): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** Two independent 32-bit halves, mixed over every character. */
export function hash64(text: string): [number, number] {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position)
    low = Math.imul(low ^ code, 2654435761)
    high = Math.imul(high ^ code, 1597334677)
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return [low >>> 0, high >>> 0]
}

/** A list of numbers that grows, 4 bytes each. */
export class Numbers {
  #data = new Int32Array(1 << 12)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#data.length) {
      const larger = new Int32Array(this.#data.length * 2)
      larger.set(this.#data)
      this.#data = larger
    }
    this.#data[this.#length] = value
    this.#length += 1
  }

  at(position: number): number {
    return this.#data[position] ?? -1
  }
}
