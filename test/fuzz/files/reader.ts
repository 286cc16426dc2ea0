// A process that creates corrupted files from a seed and reads them one by one, like the reading process of an import.

import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { type ChildMessage, linesOf, refusedMessage } from '../../../workers/sheets/list-lines.ts'

import { Random } from '../../harness/random.ts'
import { findBrokenLine } from './lines.ts'
import { mutateFile } from './mutate-file.ts'
import { createSampleFile, FORMATS, type Format } from './samples.ts'

export type FileResult = {
  number: number
  format: Format
  bytes: number
  /** “read”, or the code with which the file was refused. */
  outcome: string
  ms: number
  rssMb: number
  /** The error in the output for the file, if there is one. */
  broken?: string
}

const ROWS_MAX = 200_000
const MB = 1024 * 1024
// Checks lines up to this size, because a file can repeat a row endlessly.
const LINE_BYTES_MAX = 20 * MB

export function createCorruptedFile(seed: number, number: number): { format: Format; bytes: Buffer } {
  const random = new Random(seed * 1_000_003 + number * 7_919 + 1)
  const format = random.pick(FORMATS)
  return { format, bytes: mutateFile(createSampleFile(random, format), random) }
}

if (process.send) {
  process.once('disconnect', () => process.exit(1))
  process.on('message', ({ seed, number }: { seed: number; number: number }) => void readOne(seed, number))
  process.send({ ready: true })
}

async function readOne(seed: number, number: number): Promise<void> {
  const { format, bytes } = createCorruptedFile(seed, number)
  const startedMs = performance.now()
  const { outcome, broken } = await read(bytes)
  // Waits for the next turn of the event loop, in which released memory is freed.
  await wait(0)
  const ms = Math.round(performance.now() - startedMs)
  const rssMb = Math.round(process.memoryUsage.rss() / MB)
  const result: FileResult = { number, format, bytes: bytes.length, outcome, ms, rssMb, broken }
  process.send?.(result)
}

async function read(bytes: Buffer): Promise<{ outcome: string; broken?: string }> {
  const pieces: Buffer[] = []
  let kept = 0
  const messages: ChildMessage[] = []
  const tell = async (message: ChildMessage) => void messages.push(message)
  try {
    for await (const piece of linesOf(Readable.from([bytes]), { list: 'users', rowsMax: ROWS_MAX }, tell)) {
      kept += piece.length
      if (kept < LINE_BYTES_MAX) pieces.push(piece)
    }
  } catch (error) {
    const refused = refusedMessage(error)
    if (refused.kind !== 'refused') return { outcome: 'none', broken: 'It is neither read nor refused' }
    const sentence = writeEnglish(refused.problem)
    const isPlain = sentence.length < 2_000 && sentence.isWellFormed()
    return {
      outcome: refused.code,
      ...(isPlain ? {} : { broken: `The sentence: ${sentence.slice(0, 500)}` }),
    }
  }
  const isWhole = messages.some(({ kind }) => kind === 'columns') && messages.at(-1)?.kind === 'done'
  if (!isWhole) return { outcome: 'read', broken: 'It has no columns, or no end' }
  return { outcome: 'read', broken: findBrokenLine(Buffer.concat(pieces)) }
}
