// The plain fields of a bookable, and the columns of lists of desks, rooms and parking with the words that their
// cells may contain: in English or German, as people write them. This file needs nothing else, so that the
// process that reads foreign files stays small.
import { nameColumns } from '../imports/headings.ts'

export const NO_POSITION = {
  position_x: null as number | null,
  position_y: null as number | null,
  position_width: null as number | null,
  position_height: null as number | null,
  position_rotation: null as number | null,
}

/** The plain fields of a bookable, as a new one has them: a free desk. Copies and imports keep or set all of them. */
export const NEW_BOOKABLE = {
  name: '',
  type: 0,
  description: null as string | null,
  tags: [] as string[],
  status: 0,
  capacity: null as number | null,
  requires_vehicle: false,
  ...NO_POSITION,
}
export type BookableFields = typeof NEW_BOOKABLE

/** Each column with what people call it in files that do not use its own name. */
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

export const bookableColumns = (headings: ReadonlyArray<string | undefined>) =>
  nameColumns(headings, BOOKABLE_HEADINGS)

/** What a cell means, with the words for it. */
const TYPES = {
  desk: ['desk', 'desks', 'workplace', 'workstation', 'tisch', 'schreibtisch', 'arbeitsplatz'],
  parkingSpot: ['parking spot', 'parking space', 'parking', 'parkplatz', 'stellplatz'],
  meetingRoom: ['meeting room', 'conference room', 'room', 'besprechungsraum', 'raum'],
  homeOffice: ['home office', 'homeoffice'],
}
const STATUSES = {
  flexible: ['flexible', 'free', 'available', 'flexibel', 'frei', 'verfügbar'],
  blocked: ['blocked', 'gesperrt'],
}
const FLAGS = {
  yes: ['yes', 'true', '1', 'x', 'ja', 'wahr'],
  no: ['no', 'false', '0', 'nein', 'falsch'],
}

export type TypeWord = keyof typeof TYPES
export type StatusWord = keyof typeof STATUSES
export type FlagWord = keyof typeof FLAGS

/** Undefined if the cell contains none of these words. */
export const parseType = createParser<TypeWord>(TYPES)
export const parseStatus = createParser<StatusWord>(STATUSES)
export const parseFlag = createParser<FlagWord>(FLAGS)

function createParser<Meaning extends string>(words: Record<Meaning, string[]>) {
  const meanings = Object.keys(words) as Meaning[]
  return (text: string): Meaning | undefined => {
    const asked = text.toLowerCase().replace(/[\s_-]+/g, ' ')
    return meanings.find((meaning) => words[meaning].includes(asked))
  }
}
