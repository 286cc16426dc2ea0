// Looks up public holidays in a thread of its own. The package needs 0.3 s and 30 MB to load, which would hold up requests
// and stay: the thread ends with its answer.
import { parentPort, workerData } from 'node:worker_threads'
import Holidays, { type HolidaysTypes } from 'date-holidays'
import type { FoundHolidays, Holiday, HolidaySearch } from './holidays.ts'

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
const REASON_MAX = 255

// Without days such as Mother’s Day, on which offices are open.
const TYPES: HolidaysTypes.HolidayType[] = ['bank', 'public']

parentPort?.postMessage(find(workerData as HolidaySearch))

function find({ country: wanted, region = '', years, language, zone }: HolidaySearch): FoundHolidays {
  const all = new Holidays()
  const countries = Object.keys(all.getCountries())
  const country =
    wanted === undefined ? countryOf(countries, zone) : countries.find((code) => code === wanted)
  if (country === undefined) return { countries, country, regions: [], zones: [], holidays: [] }
  const regions = listRegions(all, country, language)
  const [state = '', part = ''] = regions.some(({ code }) => code === region) ? region.split(' ') : []
  const known = new Holidays({ country, state, region: part }, { types: TYPES })
  const holidays = years.flatMap((year) => listHolidays(known, year, language))
  return { countries, country, regions, zones: known.getTimezones(), holidays }
}

/** The country whose main time zone this is. */
function countryOf(countries: string[], zone: string): string | undefined {
  return countries.find((code) => new Holidays(code).getTimezones()[0] === zone)
}

/** The parts of a country, each followed by its own parts: “BY”, “BY A”. */
function listRegions(all: Holidays, country: string, language: string) {
  return Object.entries(all.getStates(country, language) ?? {}).flatMap(([state, name]) => [
    { code: state, name },
    ...Object.entries(all.getRegions(country, state, language) ?? {}).map(([part, below]) => ({
      code: `${state} ${part}`,
      name: `${name}: ${below}`,
    })),
  ])
}

function listHolidays(known: Holidays, year: number, language: string): Holiday[] {
  const [local = 'en'] = known.getLanguages().filter((each) => each !== 'en')
  const names = [local, 'en'].map((each) => namesOf(known, year, each))
  return known.getHolidays(year, language).map((holiday) => {
    const [own = holiday.name, english = own] = names.map((each) => each.get(keyOf(holiday)))
    const reason = own === english ? own : `${own} (${english})`
    return { ...toHoliday(holiday), reason: reason.slice(0, REASON_MAX) }
  })
}

function namesOf(known: Holidays, year: number, language: string): Map<string, string> {
  return new Map(known.getHolidays(year, language).map((each) => [keyOf(each), each.name]))
}

function keyOf({ date, rule }: HolidaysTypes.Holiday): string {
  return `${date} ${rule}`
}

// `date` is on the clocks of the country. A day of 23 or 25 hours ends at midnight too.
function toHoliday({ date, start, end, name, type }: HolidaysTypes.Holiday): Omit<Holiday, 'reason'> {
  const from = date.slice(0, 16).replace(' ', 'T')
  const isWhole = from.endsWith('T00:00')
  const hours = Math.round((end.getTime() - start.getTime()) / HOUR_MS)
  const length = isWhole ? Math.max(1, Math.round(hours / DAY_HOURS)) * DAY_HOURS : hours
  const to = new Date(Date.parse(`${from}Z`) + length * HOUR_MS).toISOString().slice(0, 16)
  return { from, to, name, isPublic: type === 'public', isWhole }
}
