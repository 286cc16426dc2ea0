// Stores very many texts in little memory: one buffer outside the heap, and the offset of each text. A
// million separate strings would take a few hundred megabytes.
import { message } from '../../../shared/messages/message.ts'
import { tooLarge } from './sheet.ts'

const BYTES_MAX = 128 * 1024 * 1024

export type TextPool = {
  add(text: string): void
  get(index: number): string | undefined
}

export function createTextPool(): TextPool {
  let bytes = Buffer.allocUnsafeSlow(64 * 1024)
  let ends = new Uint32Array(1024)
  let count = 0

  function makeRoom(end: number) {
    if (end > BYTES_MAX)
      throw tooLarge(message`The texts in the file are larger than 128 MB, which is the limit.`)
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, bytes.length * 2))
      bytes.copy(larger)
      bytes = larger
    }
    if (count === ends.length) {
      const larger = new Uint32Array(count * 2)
      larger.set(ends)
      ends = larger
    }
  }

  return {
    add(text) {
      const start = count === 0 ? 0 : (ends[count - 1] ?? 0)
      const end = start + Buffer.byteLength(text)
      makeRoom(end)
      bytes.write(text, start)
      ends[count++] = end
    },
    get(index) {
      if (!(index >= 0 && index < count)) return undefined
      return bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index])
    },
  }
}
