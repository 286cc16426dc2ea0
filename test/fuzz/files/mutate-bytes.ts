// Corrupts random bytes in a few places, which may make the input slightly longer or shorter.
import type { Random } from '../../harness/random.ts'

const MUTATIONS_MAX = 8
const EXTREME_NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff]

const BYTE_CHANGES: Record<string, (bytes: Buffer, random: Random) => Buffer> = {
  flip(bytes, random) {
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    return bytes
  },
  set(bytes, random) {
    bytes[random.below(bytes.length)] = random.pick([
      0,
      0xff,
      0x0a,
      0x22,
      0x2c,
      0x3c,
      0x26,
      random.below(256),
    ])
    return bytes
  },
  // Corrupts lengths, counts and offsets of binary formats.
  number(bytes, random) {
    const number = random.pick(EXTREME_NUMBERS)
    const width = random.pick([1, 2, 4])
    const at = random.below(bytes.length)
    if (at + width <= bytes.length) bytes.writeUIntLE(number % 2 ** (8 * width), at, width)
    return bytes
  },
  insert(bytes, random) {
    const at = random.below(bytes.length + 1)
    const piece = Buffer.alloc(1 + random.below(20), random.below(256))
    return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
  },
  remove(bytes, random) {
    const [from, to] = pickRange(bytes, random)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  },
  repeat(bytes, random) {
    const [from, to] = pickRange(bytes, random)
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)])
  },
  blank(bytes, random) {
    const [from, to] = pickRange(bytes, random)
    return bytes.fill(random.pick([0, 0xff, 0x20]), from, to)
  },
  cut(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length))
  },
}
const CHANGE_WEIGHTS = { flip: 5, set: 4, number: 5, insert: 2, remove: 2, repeat: 2, blank: 1, cut: 0.3 }

export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  let spoiled = Buffer.from(bytes)
  const times = 1 + random.below(MUTATIONS_MAX)
  for (let time = 0; time < times && spoiled.length > 0; time++)
    spoiled = Buffer.from(BYTE_CHANGES[random.pickKey(CHANGE_WEIGHTS)]?.(spoiled, random) ?? spoiled)
  return spoiled
}

function pickRange(bytes: Buffer, random: Random): [number, number] {
  const from = random.below(bytes.length)
  return [from, Math.min(bytes.length, from + 1 + random.below(random.pick([8, 100, 2_000])))]
}
