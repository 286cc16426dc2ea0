// What mails to people have in common: their language, days and times, and the links at the end.
import { writeIn } from '../../../shared/messages/catalogs.ts'
import { DEFAULT_LANGUAGE, isLanguage, type Language, LOCALES } from '../../../shared/messages/languages.ts'
import { type Message, message } from '../../../shared/messages/message.ts'

/** In which language somebody reads, and where their pages are. */
export type Reader = { language: Language; publicUrl: string }

export const toLanguage = (name: string): Language => (isLanguage(name) ? name : DEFAULT_LANGUAGE)

/** The links, each with what it leads to, are one paragraph at the end. */
export function writeText(
  paragraphs: readonly string[],
  links: ReadonlyArray<readonly [leadsTo: Message, path: string]>,
  { language, publicUrl }: Reader,
): string {
  const last = [...links, [message`Which mails you get:`, '/my/me'] as const]
  const lines = last.map(([leadsTo, path]) => `${writeIn(language, leadsTo)} ${publicUrl}${path}`)
  return `${[...paragraphs, lines.join('\n')].join('\n\n')}\n`
}

export function formatDay(instant: string, timeZone: string, language: Language): string {
  const options = { weekday: 'long', day: 'numeric', month: 'long', timeZone } as const
  // English writes no comma here.
  return new Date(instant)
    .toLocaleDateString(LOCALES[language], options)
    .replace(language === 'en' ? ',' : '', '')
}

export const formatTime = (instant: string, timeZone: string, language: Language) =>
  new Date(instant).toLocaleTimeString(LOCALES[language], { hour: '2-digit', minute: '2-digit', timeZone })

type Span = { from: string; to: string | null }

/** A bookable, its place (null for a home office) and its time zone. */
export type Placed = { name: string; place: string | null; zone: string }

/** The lines that say what is booked, where, and when. */
export const describePlaced = (placed: Placed & Span, language: Language): string[] =>
  [placed.name, placed.place, formatSpan(placed, placed.zone, language)].filter((line) => line !== null)

export function formatSpan({ from, to }: Span, zone: string, language: Language): string {
  const [day, time] = [formatDay(from, zone, language), formatTime(from, zone, language)]
  if (to === null) return writeIn(language, message`${day}, from ${time}, with no end`)
  const [lastDay, end] = [formatDay(to, zone, language), formatTime(to, zone, language)]
  return day === lastDay ? `${day}, ${time}–${end}` : `${day}, ${time} – ${lastDay}, ${end}`
}
