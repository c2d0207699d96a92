/** The wire format of protocol buffers: tags, varints, lengths. Every length is checked against what is left, so no input makes it read on or allocate. */

/** Thrown for a body that is no valid message. */
export class ProtobufError extends Error {
  readonly code = 'ProtobufInvalid'
}

export const WIRE_VARINT = 0
const WIRE_FIXED64 = 1
export const WIRE_BYTES = 2
const WIRE_FIXED32 = 5

const LONGEST_VARINT = 10

export class WireReader {
  readonly #bytes: Buffer
  readonly #end: number
  #position: number

  constructor(bytes: Buffer, position = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#position = position
    this.#end = end
  }

  get done(): boolean {
    return this.#position >= this.#end
  }

  get isEmpty(): boolean {
    return this.#position === this.#end
  }

  tag(): { field: number; wire: number } {
    const tag = this.varint()
    const field = Math.floor(tag / 8)
    if (field < 1 || field > 536_870_911) throw new ProtobufError(`field number ${field} is out of range`)
    return { field, wire: tag % 8 }
  }

  /** As a signed 64-bit number; beyond 2^53 rounded to the nearest double. */
  varint(): number {
    let result = 0
    for (let index = 0; index < 4; index++) {
      const byte = this.#byte()
      result += (byte & 127) * 2 ** (7 * index)
      if (byte < 128) return result
    }
    return this.#longVarint(result)
  }

  #longVarint(low: number): number {
    let result = BigInt(low)
    for (let index = 4; index < LONGEST_VARINT; index++) {
      const byte = this.#byte()
      result |= BigInt(byte & 127) << BigInt(7 * index)
      if (byte < 128) return Number(BigInt.asIntN(64, result))
    }
    throw new ProtobufError('a varint is longer than 10 bytes')
  }

  #byte(): number {
    const byte = this.#position < this.#end ? this.#bytes[this.#position] : undefined
    if (byte === undefined) throw new ProtobufError('the message ends in the middle of a field')
    this.#position++
    return byte
  }

  /** The next length-delimited bytes, not copied. */
  bytes(): Buffer {
    const length = this.varint()
    return this.#take(length)
  }

  /** A reader of the next length-delimited message. */
  message(): WireReader {
    const length = this.varint()
    const start = this.#position
    this.#take(length)
    return new WireReader(this.#bytes, start, start + length)
  }

  double(): number {
    return this.#take(8).readDoubleLE()
  }

  #take(length: number): Buffer {
    if (length < 0 || length > this.#end - this.#position) {
      throw new ProtobufError(`a field claims ${length} bytes where ${this.#end - this.#position} are left`)
    }
    this.#position += length
    return this.#bytes.subarray(this.#position - length, this.#position)
  }

  skip(wire: number): void {
    if (wire === WIRE_VARINT) this.varint()
    else if (wire === WIRE_BYTES) this.bytes()
    else if (wire === WIRE_FIXED64) this.#take(8)
    else if (wire === WIRE_FIXED32) this.#take(4)
    else throw new ProtobufError(`wire type ${wire} is not used by Kubernetes`)
  }
}
