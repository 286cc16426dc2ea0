// Looks up public holidays in a separate thread. Loading the package takes 0.3 s, which would delay requests, and 30
// MB, which the thread frees when it ends after its result.
import { parentPort, workerData } from 'node:worker_threads'
import Holidays, { type HolidaysTypes } from 'date-holidays'
import type { FoundHolidays, Holiday, HolidaySearch } from './holidays.ts'

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
const REASON_LENGTH_MAX = 255

// The types of holidays to look up. Days such as Mother’s Day, on which offices are open, are not among them.
const HOLIDAY_TYPES: HolidaysTypes.HolidayType[] = ['bank', 'public']

parentPort?.postMessage(findHolidaysOffline(workerData as HolidaySearch))

function findHolidaysOffline({
  country: wanted,
  region = '',
  years,
  language,
  zone,
}: HolidaySearch): FoundHolidays {
  const all = new Holidays()
  const countries = Object.keys(all.getCountries())
  const country =
    wanted === undefined ? findCountry(countries, zone) : countries.find((code) => code === wanted)
  if (country === undefined) return { countries, country, regions: [], zones: [], holidays: [] }
  const regions = listRegions(all, country, language)
  const [state = '', part = ''] = regions.some(({ code }) => code === region) ? region.split(' ') : []
  const known = new Holidays({ country, state, region: part }, { types: HOLIDAY_TYPES })
  const holidays = years.flatMap((year) => listHolidays(known, year, language))
  return { countries, country, regions, zones: known.getTimezones(), holidays }
}

/** Returns the country whose main time zone is `zone`. */
function findCountry(countries: string[], zone: string): string | undefined {
  return countries.find((code) => new Holidays(code).getTimezones()[0] === zone)
}

/** Lists the regions of a country. Each region is followed by its own regions: “BY”, “BY A”. */
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
  const names = [local, 'en'].map((each) => listHolidayNames(known, year, each))
  return known.getHolidays(year, language).map((holiday) => {
    const [own = holiday.name, english = own] = names.map((each) => each.get(formatHolidayKey(holiday)))
    const reason = own === english ? own : `${own} (${english})`
    return { ...toHoliday(holiday), reason: reason.slice(0, REASON_LENGTH_MAX) }
  })
}

function listHolidayNames(known: Holidays, year: number, language: string): Map<string, string> {
  return new Map(known.getHolidays(year, language).map((each) => [formatHolidayKey(each), each.name]))
}

function formatHolidayKey({ date, rule }: HolidaysTypes.Holiday): string {
  return `${date} ${rule}`
}

// Converts a holiday of the package. `date` is local to the country. A day of 23 or 25 hours also ends at midnight.
function toHoliday({ date, start, end, name, type }: HolidaysTypes.Holiday): Omit<Holiday, 'reason'> {
  const from = date.slice(0, 16).replace(' ', 'T')
  const isWhole = from.endsWith('T00:00')
  const hours = Math.round((end.getTime() - start.getTime()) / HOUR_MS)
  const length = isWhole ? Math.max(1, Math.round(hours / DAY_HOURS)) * DAY_HOURS : hours
  const to = new Date(Date.parse(`${from}Z`) + length * HOUR_MS).toISOString().slice(0, 16)
  return { from, to, name, isPublic: type === 'public', isWhole }
}
