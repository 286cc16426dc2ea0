// Formats how long something takes or took.
import { currentLocale } from '../locales/translate.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND) return `${formatTenths(Math.floor(ms / 100) / 10)} s`
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`
}

function formatTenths(seconds: number): string {
  return seconds.toLocaleString(currentLocale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 })
}
