// The plain fields of a bookable, and the columns in imported lists of desks, rooms and parking spots, with the English
// and German words that their cells may contain. Imports almost nothing, so that the process that reads uploaded files
// stays small.
import { matchColumnsToHeadings } from '../imports/headings.ts'

export const NO_POSITION = {
  position_x: null as number | null,
  position_y: null as number | null,
  position_width: null as number | null,
  position_height: null as number | null,
  position_rotation: null as number | null,
}

/**
 * The default values of a new bookable's plain fields, which describe a flexible desk. Copies and imports keep or set
 * all of these fields.
 */
export const NEW_BOOKABLE_DEFAULTS = {
  name: '',
  type: 0,
  description: null as string | null,
  tags: [] as string[],
  status: 0,
  capacity: null as number | null,
  requires_vehicle: false,
  ...NO_POSITION,
}
export type BookableFields = typeof NEW_BOOKABLE_DEFAULTS

/** Common headings for each column, used if a file does not have the column under its own name. */
export const BOOKABLE_HEADINGS = {
  name: ['bezeichnung', 'desk', 'desk or room', 'tisch', 'tisch oder raum'],
  type: ['kind', 'art', 'typ'],
  description: ['notes', 'beschreibung', 'notizen', 'bemerkung'],
  tags: ['tag', 'equipment', 'ausstattung', 'schlagworte'],
  status: ['zustand'],
  capacity: ['seats', 'kapazität', 'plätze', 'sitzplätze'],
  requires_vehicle: [
    'requires vehicle',
    'requires a vehicle',
    'bookings require a vehicle',
    'fahrzeug nötig',
    'buchungen erfordern ein fahrzeug',
  ],
  x: ['x %', 'x (%)'],
  y: ['y %', 'y (%)'],
}
export type BookableColumn = keyof typeof BOOKABLE_HEADINGS

export const findBookableColumns = (headings: ReadonlyArray<string | undefined>) =>
  matchColumnsToHeadings(headings, BOOKABLE_HEADINGS)

/** The values that a cell of this column may have, each with the words that stand for it. */
const TYPE_WORDS = {
  desk: ['desk', 'desks', 'workplace', 'workstation', 'tisch', 'schreibtisch', 'arbeitsplatz'],
  parkingSpot: ['parking spot', 'parking space', 'parking', 'parkplatz', 'stellplatz'],
  meetingRoom: ['meeting room', 'conference room', 'room', 'besprechungsraum', 'raum'],
  homeOffice: ['home office', 'homeoffice'],
}
const STATUS_WORDS = {
  flexible: ['flexible', 'free', 'available', 'flexibel', 'frei', 'verfügbar'],
  blocked: ['blocked', 'gesperrt'],
}
const FLAG_WORDS = {
  yes: ['yes', 'true', '1', 'x', 'ja', 'wahr'],
  no: ['no', 'false', '0', 'nein', 'falsch'],
}

export type BookableTypeWord = keyof typeof TYPE_WORDS
export type StatusWord = keyof typeof STATUS_WORDS
export type FlagWord = keyof typeof FLAG_WORDS

/** The parsers return undefined if the cell contains no known word. */
export const parseBookableType = createWordParser<BookableTypeWord>(TYPE_WORDS)
export const parseBookableStatus = createWordParser<StatusWord>(STATUS_WORDS)
export const parseFlag = createWordParser<FlagWord>(FLAG_WORDS)

function createWordParser<Meaning extends string>(words: Record<Meaning, string[]>) {
  const meanings = Object.keys(words) as Meaning[]
  return (text: string): Meaning | undefined => {
    const asked = text.toLowerCase().replace(/[\s_-]+/g, ' ')
    return meanings.find((meaning) => words[meaning].includes(asked))
  }
}
