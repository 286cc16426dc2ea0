// The languages that Berth supports, and how it chooses one of them for a visitor.

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[]

/** The locale for dates and numbers in each language. */
export const LOCALES: Record<Language, string> = { en: 'en-GB', de: 'de-DE' }

export const DEFAULT_LANGUAGE: Language = 'en'

export function isLanguage(name: string | undefined): name is Language {
  return name !== undefined && Object.hasOwn(LANGUAGES, name)
}

/**
 * Returns the supported language that the browser prefers, according to an Accept-Language header such as `de-CH,
 * en;q=0.8`.
 */
export function findPreferredLanguage(header: string): Language {
  const wanted = header
    .split(',')
    .map((each) => {
      const [tag = '', ...options] = each.split(';').map((part) => part.trim())
      const quality = options.find((option) => option.startsWith('q='))?.slice(2) ?? '1'
      return { language: tag.toLowerCase().split('-')[0], quality: Number(quality) || 0 }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  return wanted.map(({ language }) => language).find(isLanguage) ?? DEFAULT_LANGUAGE
}
