// The process that reads an untrusted file. It reads the file from standard input, writes lines for COPY to standard
// output, and sends everything else as messages. It has no secrets and no connections, so a hostile file can only end
// this process.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RequestedLayout } from './laid-out-files.ts'
import { type ChildMessage, linesOf, refusedMessage } from './list-lines.ts'
import type { ListName } from './lists/lists.ts'

// Exits when the parent process ends, because nobody needs the rows any more.
process.once('disconnect', () => process.exit(1))
const [list, rowsMax, cells, layout = ''] = process.argv.slice(2)
await runReader(list as ListName, Number(rowsMax), cells === 'cells', layout)

async function runReader(list: ListName, rowsMax: number, keepsCells: boolean, layoutJson: string) {
  try {
    const layout = layoutJson === '' ? undefined : (JSON.parse(layoutJson) as RequestedLayout)
    const lines = linesOf(process.stdin, { list, rowsMax, keepsCells, layout }, sendMessage)
    await pipeline(Readable.from(lines, { highWaterMark: 1 }), process.stdout)
  } catch (error) {
    await sendMessage(refusedMessage(error))
  }
  process.removeAllListeners('disconnect')
  process.disconnect?.()
}

function sendMessage(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send) process.send(message, () => resolve())
    else resolve()
  })
}
