// Replaces the words of the pages with the words of the API. Messages use the words of the pages (people, meetings,
// floors), but the API and the log say users, events and locations. Only this table maps one to the other.

/**
 * Maps words in messages to the words of the API. An entry that maps to itself protects a phrase that contains another
 * entry.
 */
const API_WORDS = {
  'floor plan': 'floor plan',
  'meeting room': 'meeting room',
  'people’s own pages': 'people’s own pages',
  'on this floor': 'in this location',
  'a meeting': 'an event',
  ', desk or room': ' or bookable',
  'desk or room': 'bookable',
  'desks and rooms': 'bookables',
  floor: 'location',
  meeting: 'event',
  people: 'users',
  person: 'user',
} as const

// The first matching entry applies, so longer entries come before the words that they contain.
const ENTRY_PATTERN = new RegExp(
  String.raw`(?:\b|(?=,))(?:${Object.keys(API_WORDS).join('|')})(?=s?\b)`,
  'gi',
)

const translatedTexts = new Map<string, string>()

/**
 * Replaces the words of an English message with the words of the API. Call it before filling in values, so that names
 * stay unchanged.
 */
export function replaceWithApiWords(text: string): string {
  const found = translatedTexts.get(text)
  if (found !== undefined) return found
  const rewritten = text.replace(ENTRY_PATTERN, replaceWord)
  translatedTexts.set(text, rewritten)
  return rewritten
}

function replaceWord(word: string): string {
  const replacement = API_WORDS[word.toLowerCase() as keyof typeof API_WORDS]
  const isCapital = word[0] !== word[0]?.toLowerCase()
  return isCapital ? replacement.charAt(0).toUpperCase() + replacement.slice(1) : replacement
}
