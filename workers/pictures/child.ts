// The process that converts an untrusted SVG or PDF: bytes on standard input, the picture on standard output, everything
// else as a message. It has no secrets and no connections; a hostile file can only end it.
import { buffer } from 'node:stream/consumers'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { readMachineFault } from '../runtime/machine-faults.ts'
import type { PictureMessage } from './picture.ts'

// Without its parent, nothing needs the picture.
process.once('disconnect', () => process.exit(1))
const said = await convert(process.argv[2]).catch(describeProblem)
process.send?.(said, () => {
  process.removeAllListeners('disconnect')
  process.disconnect?.()
})

async function convert(kind: string | undefined): Promise<PictureMessage> {
  const file = await buffer(process.stdin)
  const { data, width, height } =
    kind === 'pdf'
      ? await (await import('./render-pdf.ts')).renderPdf(file)
      : (await import('./sanitize-svg.ts')).sanitizeSvg(file)
  await new Promise((resolve) => process.stdout.write(data, resolve))
  return { kind: 'done', width, height }
}

// Any other error of a reader is caused by the file.
function describeProblem(error: unknown): PictureMessage {
  const fault = readMachineFault(error)
  if (fault) return { kind: 'fault', ...fault }
  const problem = error instanceof Refusal ? error.errors?.file?.[0] : undefined
  return { kind: 'refused', problem: problem ?? message`The file could not be read: it is damaged.` }
}
