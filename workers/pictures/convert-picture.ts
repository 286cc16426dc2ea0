// Converts an SVG or a PDF in a separate process, so that no file can harm the worker.
import { once } from 'node:events'
import { extname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { startLimited } from '../runtime/limited-process.ts'
import { machineRefusal, NOT_STARTED, notStarted, refusalOfMachine } from '../runtime/machine-faults.ts'
import { FILES_PRIORITY } from '../runtime/priority.ts'
import { type ConvertedPicture, type PictureMessage, refusePicture } from './picture.ts'

const CONVERTED = { 'image/svg+xml': 'svg', 'application/pdf': 'pdf' } as const

// Callers wait less (WRITE_WAIT_MS), but a busy machine must not lose what is nearly done.
const LIMITS = { memoryMb: 512, timeMs: 30_000 }

export async function convertPicture(
  type: keyof typeof CONVERTED,
  file: Buffer,
  limits = LIMITS,
): Promise<ConvertedPicture> {
  const program = join(import.meta.dirname, `child${extname(import.meta.filename)}`)
  const child = startLimited(program, [CONVERTED[type]], limits, FILES_PRIORITY)
  let said: PictureMessage | undefined
  child.on('message', (told: PictureMessage) => {
    said = told
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), limits.timeMs)
  // A child that dies closes the pipe, and its end is noticed below.
  child.stdin.on('error', () => undefined)
  child.stdin.end(file)
  const [data, [code]] = await Promise.all([buffer(child.stdout), once(child, 'close')])
    .catch((error: Error) => Promise.reject(refusalOfMachine(error)))
    .finally(() => clearTimeout(timer))
  if (said?.kind === 'fault') throw machineRefusal(said)
  if (NOT_STARTED.has(code)) throw notStarted()
  if (said?.kind === 'refused') throw refusePicture(said.problem)
  if (said && code === 0) return { data, width: said.width, height: said.height }
  const detail = message`The file takes too much time or memory to read. Save the floor plan as a PNG.`
  throw new Refusal('too_large', detail)
}
