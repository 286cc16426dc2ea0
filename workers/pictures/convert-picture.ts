// Converts a picture in a separate process, so that a hostile file cannot harm the worker.
import { once } from 'node:events'
import { extname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Message, message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { startLimitedProcess } from '../runtime/limited-process.ts'
import {
  createMachineRefusal,
  createNotStartedRefusal,
  START_FAILURE_EXIT_CODES,
  toMachineRefusal,
} from '../runtime/machine-faults.ts'
import { FILE_PROCESS_PRIORITY } from '../runtime/priority.ts'
import { type ConvertedPicture, createPictureRefusal, type PictureMessage } from './picture.ts'

/** What to make: a harmless SVG, a PNG of a PDF, or the small picture of a person. */
export type PictureKind = 'svg' | 'pdf' | 'portrait'

// The limits of a conversion. Callers wait for less time (WRITE_WAIT_MS), but a conversion on a busy machine must not
// be aborted when it is nearly done.
const CONVERTER_LIMITS = { memoryMb: 512, timeMs: 30_000 }

export async function convertPicture(
  kind: PictureKind,
  file: Buffer,
  limits = CONVERTER_LIMITS,
): Promise<ConvertedPicture> {
  const program = join(import.meta.dirname, `child${extname(import.meta.filename)}`)
  const child = startLimitedProcess(program, [kind], limits, FILE_PROCESS_PRIORITY)
  let said: PictureMessage | undefined
  child.on('message', (told: PictureMessage) => {
    said = told
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), limits.timeMs)
  // A child process that dies closes the pipe. The end of the process is handled below.
  child.stdin.on('error', () => undefined)
  child.stdin.end(file)
  const [data, [code]] = await Promise.all([buffer(child.stdout), once(child, 'close')])
    .catch((error: Error) => Promise.reject(toMachineRefusal(error)))
    .finally(() => clearTimeout(timer))
  if (said?.kind === 'fault') throw createMachineRefusal(said)
  if (START_FAILURE_EXIT_CODES.has(code)) throw createNotStartedRefusal()
  if (said?.kind === 'refused') throw createPictureRefusal(said.problem)
  if (said && code === 0) return { data, width: said.width, height: said.height }
  throw new Refusal('too_large', TOO_LARGE[kind])
}

const PLAN_TOO_LARGE = message`The file takes too much time or memory to read. Save the floor plan as a PNG.`
const TOO_LARGE: Record<PictureKind, Message> = {
  svg: PLAN_TOO_LARGE,
  pdf: PLAN_TOO_LARGE,
  portrait: message`The picture takes too much time or memory to read. Save it with fewer pixels.`,
}
