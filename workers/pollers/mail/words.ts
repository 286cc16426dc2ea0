// Provides what all mails to people have in common: the language, days and times, and the links at the end.
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import { DEFAULT_LANGUAGE, isLanguage, type Language, LOCALES } from '../../../shared/messages/languages.ts'
import { type Message, message } from '../../../shared/messages/message.ts'

/** The language of the recipient, and the base URL of their pages. */
export type MailReader = { language: Language; publicUrl: string }

export const toLanguage = (name: string): Language => (isLanguage(name) ? name : DEFAULT_LANGUAGE)

/**
 * Writes the text of a mail. The last paragraph contains the links, each with its label. A guest gets no link to e-mail
 * settings, because guests have none.
 */
export function writeText(
  paragraphs: readonly string[],
  links: ReadonlyArray<readonly [leadsTo: Message, path: string]>,
  { language, publicUrl }: MailReader,
  isGuest = false,
): string {
  const last = isGuest ? links : [...links, [message`Choose your e-mails:`, '/my/me'] as const]
  const lines = last.map(([leadsTo, path]) => `${writeInLanguage(language, leadsTo)} ${publicUrl}${path}`)
  return `${[...paragraphs, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n')}\n`
}

/** Returns the e-mail address in a sender such as `Berth <berth@example.com>`. */
export const extractAddress = (sender: string): string => /<([^<>]+)>$/.exec(sender)?.[1] ?? sender

export function formatDay(instant: string, timeZone: string, language: Language): string {
  const options = { weekday: 'long', day: 'numeric', month: 'long', timeZone } as const
  // Removes a comma from the date, because English does not use one here.
  return new Date(instant)
    .toLocaleDateString(LOCALES[language], options)
    .replace(language === 'en' ? ',' : '', '')
}

export const formatTime = (instant: string, timeZone: string, language: Language) =>
  new Date(instant).toLocaleTimeString(LOCALES[language], { hour: '2-digit', minute: '2-digit', timeZone })

type Span = { from: string; to: string | null }

/** The name of a bookable, its place (null for a home office) and its time zone. */
export type BookedPlace = { name: string; place: string | null; zone: string }

/** Returns lines of text that describe what is booked, where, and when. */
export const describeBookedPlace = (placed: BookedPlace & Span, language: Language): string[] =>
  [placed.name, placed.place, formatSpan(placed, placed.zone, language)].filter((line) => line !== null)

export function formatSpan({ from, to }: Span, zone: string, language: Language): string {
  const [day, time] = [formatDay(from, zone, language), formatTime(from, zone, language)]
  if (to === null) return writeInLanguage(language, message`${day}, from ${time}, with no end`)
  const [lastDay, end] = [formatDay(to, zone, language), formatTime(to, zone, language)]
  return day === lastDay ? `${day}, ${time}–${end}` : `${day}, ${time} – ${lastDay}, ${end}`
}
