// The process that reads a foreign file: bytes on standard input, lines for COPY on standard output, the rest by
// messages. It knows no secret and no connection; whatever a hostile file does to it, only this process ends.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ChildMessage } from './messages.ts'
import { linesOf, refusedMessage } from './user-lines.ts'

// A parent that is gone wants no rows.
process.once('disconnect', () => process.exit(1))
await run(Number(process.argv[2]), process.argv[3] === 'cells')

async function run(rowsMax: number, keepsCells: boolean) {
  try {
    const lines = linesOf(process.stdin, { rowsMax, keepsCells }, send)
    await pipeline(Readable.from(lines, { highWaterMark: 1 }), process.stdout)
  } catch (error) {
    await send(refusedMessage(error))
  }
  process.removeAllListeners('disconnect')
  process.disconnect?.()
}

function send(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send) process.send(message, () => resolve())
    else resolve()
  })
}
