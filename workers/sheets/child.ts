// The process that reads an untrusted file: bytes on standard input, lines for COPY on standard output,
// everything else as messages. It has no secrets and no connections; a hostile file can only end it.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AskedLayout } from './laid-out-files.ts'
import { type ChildMessage, linesOf, refusedMessage } from './list-lines.ts'
import type { ListName } from './lists/lists.ts'

// Without its parent, nothing needs the rows.
process.once('disconnect', () => process.exit(1))
const [list, rowsMax, cells, layout = ''] = process.argv.slice(2)
await run(list as ListName, Number(rowsMax), cells === 'cells', layout)

async function run(list: ListName, rowsMax: number, keepsCells: boolean, layoutJson: string) {
  try {
    const layout = layoutJson === '' ? undefined : (JSON.parse(layoutJson) as AskedLayout)
    const lines = linesOf(process.stdin, { list, rowsMax, keepsCells, layout }, send)
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
