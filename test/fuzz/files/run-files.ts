// Reads corrupted files within the limits of an import. A file that kills its reader is read again by the reading
// process of an import, which must refuse it.
import { type ChildProcess, spawn } from 'node:child_process'
import { extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { readList } from '../../../workers/sheets/read-list.ts'
import type { Figures, Finding } from '../findings.ts'
import { createCorruptedFile, type FileResult } from './reader.ts'

export type FilesOptions = {
  seed: number
  from: number
  count: number
  readers: number
  onProgress?(done: number): void
}
export type FilesReport = { findings: Finding[]; outcomes: Map<string, number>; figures: Figures }

// The limit of an import (workers/jobs/imports/stage-import-file.ts); an xls may use more.
const MEMORY_MB = 160
const XLS_MEMORY_MB = 768
const OFF_HEAP_MB = 128
const FILE_MS_MAX = 60_000
// The maximum memory of the reader after it has released all files. The engine keeps some memory.
const READER_RSS_MB_MAX = XLS_MEMORY_MB + OFF_HEAP_MB

export async function runFiles(options: FilesOptions): Promise<FilesReport> {
  const { seed, from, count, readers, onProgress } = options
  const results: FileResult[] = []
  const findings: Finding[] = []
  let next = from

  const reader = async () => {
    let child = await startReader()
    while (next < from + count) {
      const number = next++
      const result = await readBy(child, seed, number)
      if (result) results.push(result)
      else {
        child = await startReader()
        findings.push(...(await readAlone(seed, number, results)))
      }
      onProgress?.(results.length)
    }
    child.kill()
  }
  await Promise.all(Array.from({ length: readers }, reader))
  return {
    findings: [...findings, ...results.flatMap((result) => judgeFile(seed, result))],
    ...summarizeResults(results),
  }
}

function judgeFile(seed: number, { number, format, broken, ms }: FileResult): Finding[] {
  const promise = 'a file is read within its limits'
  const name = `file ${number} of seed ${seed} (${format})`
  if (broken) return [{ promise, what: `${name}: ${broken}` }]
  if (ms > FILE_MS_MAX) return [{ promise, what: `${name} took ${ms} ms` }]
  return []
}

function summarizeResults(results: FileResult[]): Pick<FilesReport, 'outcomes' | 'figures'> {
  const outcomes = new Map<string, number>()
  for (const { format, outcome } of results) {
    const name = `${format} ${outcome}`
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1)
  }
  const slowest = results.toSorted((a, b) => b.ms - a.ms)[0]
  const figures = {
    files: results.length,
    'slowest file': slowest ? `${slowest.ms} ms (${slowest.format}, file ${slowest.number})` : '',
    'a reader’s memory at its most': `${Math.max(0, ...results.map(({ rssMb }) => rssMb))} MB`,
  }
  return { outcomes, figures }
}

async function startReader(): Promise<ChildProcess> {
  const program = join(import.meta.dirname, `reader${extname(import.meta.filename)}`)
  const limits = `ulimit -d ${READER_RSS_MB_MAX * 1024} 2>/dev/null; exec "$@"`
  const command = [process.execPath, ...process.execArgv, `--max-old-space-size=${XLS_MEMORY_MB}`, program]
  const child = spawn('/bin/sh', ['-c', limits, 'fuzz-reader', ...command], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: process.env.PATH },
  })
  await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`The reader did not start: ${code}`)))
  })
  return child
}

/** Returns undefined if the file crashed the process, or if the process had to be killed. */
function readBy(child: ChildProcess, seed: number, number: number): Promise<FileResult | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), FILE_MS_MAX)
    const finish = (result?: FileResult) => {
      clearTimeout(timer)
      child.off('message', finish).off('exit', onExit)
      resolve(result)
    }
    const onExit = () => finish()
    child.on('message', finish).on('exit', onExit)
    child.send({ seed, number })
  })
}

async function readAlone(seed: number, number: number, results: FileResult[]): Promise<Finding[]> {
  const { format, bytes } = createCorruptedFile(seed, number)
  const memoryMb = format === 'xls' ? XLS_MEMORY_MB : MEMORY_MB
  const startedMs = performance.now()
  const sheet = readList(Readable.from([bytes]), { rowsMax: 200_000, memoryMb, timeMs: FILE_MS_MAX })
  sheet.rows.resume()
  const outcome = await sheet.done.then(
    () => 'read alone',
    (error: unknown) => (error instanceof Refusal ? `${error.code} alone` : String(error)),
  )
  const ms = Math.round(performance.now() - startedMs)
  results.push({ number, format, bytes: bytes.length, outcome, ms, rssMb: 0 })
  // An import may refuse the file because it needs too much memory or time.
  if (/^(read|too_large|validation_failed) alone$/.test(outcome)) return []
  return [{ promise: 'a file is read within its limits', what: `file ${number} of seed ${seed}: ${outcome}` }]
}
