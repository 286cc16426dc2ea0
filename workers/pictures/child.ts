// The process that converts an untrusted picture. It reads the file from standard input, writes the picture to
// standard output, and sends everything else as a message. It has no secrets and no connections, so a hostile file can
// only end this process.
import { buffer } from 'node:stream/consumers'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { readMachineFault } from '../runtime/machine-faults.ts'
import type { ConvertedPicture, PictureMessage } from './picture.ts'

// Exits when the parent process ends, because nobody needs the picture any more.
process.once('disconnect', () => process.exit(1))
const resultMessage = await convertInput(process.argv[2]).catch(describeProblem)
process.send?.(resultMessage, () => {
  process.removeAllListeners('disconnect')
  process.disconnect?.()
})

async function convertInput(kind: string | undefined): Promise<PictureMessage> {
  const file = await buffer(process.stdin)
  const { data, width, height } = await convertFile(kind, file)
  await new Promise((resolve) => process.stdout.write(data, resolve))
  return { kind: 'done', width, height }
}

// Loads only the packages that this kind of picture needs.
async function convertFile(kind: string | undefined, file: Buffer): Promise<ConvertedPicture> {
  if (kind === 'pdf') return (await import('./render-pdf.ts')).renderPdf(file)
  if (kind === 'portrait') return (await import('./crop-portrait.ts')).cropPortrait(file)
  return (await import('./sanitize-svg.ts')).sanitizeSvg(file)
}

// Describes an error. If the error is neither a fault of the machine nor a known refusal, the file counts as
// damaged.
function describeProblem(error: unknown): PictureMessage {
  const fault = readMachineFault(error)
  if (fault) return { kind: 'fault', ...fault }
  const problem = error instanceof Refusal ? error.errors?.file?.[0] : undefined
  return { kind: 'refused', problem: problem ?? message`The file could not be read: it is damaged.` }
}
