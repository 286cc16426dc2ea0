// Public holidays by country, region and year, offline. A thread looks them up (holiday-worker.ts); answers are kept.
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Language } from '../../../../shared/messages/languages.ts'
import { BoundedMap } from '../../../../shared/utilities/caches.ts'

export type HolidaySearch = {
  /** Defaults to the country of the time zone. */
  country: string | undefined
  region: string | undefined
  years: number[]
  language: Language
  zone: string
}

/** `from` and `to` are on local clocks: “2027-12-24T14:00”. */
export type Holiday = {
  from: string
  to: string
  /** In the language of the search. */
  name: string
  /** For readers of all languages: the local name, with the English one. */
  reason: string
  /** False for bank holidays and half days. */
  isPublic: boolean
  /** The holiday begins at midnight. */
  isWhole: boolean
}

export type FoundHolidays = {
  /** Codes of ISO 3166. */
  countries: string[]
  country: string | undefined
  regions: Array<{ code: string; name: string }>
  /** Of the country. */
  zones: string[]
  holidays: Holiday[]
}

const KEPT_MAX = 100
const kept = new BoundedMap<Promise<FoundHolidays>>(KEPT_MAX)
// One thread at a time, because each needs 30 MB while it runs.
let last: Promise<unknown> = Promise.resolve()

export function findHolidays(search: HolidaySearch): Promise<FoundHolidays> {
  const key = JSON.stringify(search)
  const present = kept.get(key)
  if (present) return present
  const found = last.then(() => runWorker(search))
  kept.set(key, found)
  last = found.catch(() => kept.delete(key))
  return found
}

async function runWorker(workerData: HolidaySearch): Promise<FoundHolidays> {
  const worker = await startWorker(workerData)
  try {
    return await new Promise<FoundHolidays>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('The thread that looks up holidays has ended')))
    })
  } finally {
    await worker.terminate()
  }
}

async function startWorker(workerData: HolidaySearch): Promise<Worker> {
  const file = join(import.meta.dirname, 'holiday-worker')
  if (import.meta.filename.endsWith('.js')) return new Worker(`${file}.cjs`, { workerData })
  const { bundleWorker } = await import('./bundle-worker.ts')
  return new Worker(bundleWorker(`${file}.ts`), { eval: true, execArgv: [], workerData })
}
