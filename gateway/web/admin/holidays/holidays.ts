// Finds public holidays by country, region and year, offline. A thread looks them up (holiday-worker.ts), and the
// results are cached.
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Language } from '../../../../shared/messages/languages.ts'
import { BoundedMap } from '../../../../shared/utilities/caches.ts'

export type HolidaySearch = {
  /** The country. Defaults to the country of the time zone. */
  country: string | undefined
  region: string | undefined
  years: number[]
  language: Language
  zone: string
}

/** A holiday. `from` and `to` are local times such as “2027-12-24T14:00”. */
export type Holiday = {
  from: string
  to: string
  /** The holiday's name in the language of the search. */
  name: string
  /** The holiday's name for readers of all languages: the local name, with the English one. */
  reason: string
  /** Whether the day is a public holiday, as opposed to a bank holiday or a half day. */
  isPublic: boolean
  /** Whether the holiday begins at midnight. */
  isWhole: boolean
}

export type FoundHolidays = {
  /** The ISO 3166 codes of all countries. */
  countries: string[]
  country: string | undefined
  regions: Array<{ code: string; name: string }>
  /** The time zones of the country. */
  zones: string[]
  holidays: Holiday[]
}

const CACHED_SEARCHES_MAX = 100
const cachedSearches = new BoundedMap<Promise<FoundHolidays>>(CACHED_SEARCHES_MAX)
// The last lookup. Threads run one at a time, because each thread needs 30 MB while it runs.
let lastLookup: Promise<unknown> = Promise.resolve()

export function findHolidays(search: HolidaySearch): Promise<FoundHolidays> {
  const key = JSON.stringify(search)
  const present = cachedSearches.get(key)
  if (present) return present
  const found = lastLookup.then(() => runWorker(search))
  cachedSearches.set(key, found)
  lastLookup = found.catch(() => cachedSearches.delete(key))
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
