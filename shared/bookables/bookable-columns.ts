// The columns of a list of desks, rooms and parking, and the words that its cells may contain: in English or
// German, as people write them. This file needs nothing else, so that the process that reads foreign files
// stays small.
import { nameColumns } from '../imports/headings.ts'

export const BOOKABLE_COLUMNS = [
  'name',
  'type',
  'description',
  'tags',
  'status',
  'capacity',
  'requires_vehicle',
  'x',
  'y',
] as const
export type BookableColumn = (typeof BOOKABLE_COLUMNS)[number]

/** What people call a column in files that do not use its own name. */
const ALIASES: Record<string, BookableColumn> = {
  bezeichnung: 'name',
  desk: 'name',
  'desk or room': 'name',
  tisch: 'name',
  'tisch oder raum': 'name',
  kind: 'type',
  art: 'type',
  typ: 'type',
  notes: 'description',
  beschreibung: 'description',
  notizen: 'description',
  bemerkung: 'description',
  tag: 'tags',
  equipment: 'tags',
  ausstattung: 'tags',
  schlagworte: 'tags',
  zustand: 'status',
  seats: 'capacity',
  kapazität: 'capacity',
  plätze: 'capacity',
  sitzplätze: 'capacity',
  'requires vehicle': 'requires_vehicle',
  'requires a vehicle': 'requires_vehicle',
  'bookings require a vehicle': 'requires_vehicle',
  'fahrzeug nötig': 'requires_vehicle',
  'buchungen erfordern ein fahrzeug': 'requires_vehicle',
  'x %': 'x',
  'x (%)': 'x',
  'y %': 'y',
  'y (%)': 'y',
}

export const bookableColumns = (
  headings: ReadonlyArray<string | undefined>,
): Array<BookableColumn | undefined> =>
  nameColumns(headings, (name) => BOOKABLE_COLUMNS.find((column) => column === name), ALIASES)

const TYPES = {
  desk: 'desk',
  desks: 'desk',
  workplace: 'desk',
  workstation: 'desk',
  tisch: 'desk',
  schreibtisch: 'desk',
  arbeitsplatz: 'desk',
  'parking spot': 'parkingSpot',
  'parking space': 'parkingSpot',
  parking: 'parkingSpot',
  parkplatz: 'parkingSpot',
  stellplatz: 'parkingSpot',
  'meeting room': 'meetingRoom',
  'conference room': 'meetingRoom',
  room: 'meetingRoom',
  besprechungsraum: 'meetingRoom',
  raum: 'meetingRoom',
  'home office': 'homeOffice',
  homeoffice: 'homeOffice',
} as const
const STATUSES = {
  flexible: 'flexible',
  free: 'flexible',
  available: 'flexible',
  flexibel: 'flexible',
  frei: 'flexible',
  verfügbar: 'flexible',
  blocked: 'blocked',
  gesperrt: 'blocked',
} as const
const FLAGS = {
  yes: 'yes',
  true: 'yes',
  '1': 'yes',
  x: 'yes',
  ja: 'yes',
  wahr: 'yes',
  no: 'no',
  false: 'no',
  '0': 'no',
  nein: 'no',
  falsch: 'no',
} as const

export type TypeWord = (typeof TYPES)[keyof typeof TYPES]
export type StatusWord = (typeof STATUSES)[keyof typeof STATUSES]
export type FlagWord = (typeof FLAGS)[keyof typeof FLAGS]

/** Undefined if it is none of these words. */
export const parseType = (text: string): TypeWord | undefined => findWord(TYPES, text)
export const parseStatus = (text: string): StatusWord | undefined => findWord(STATUSES, text)
export const parseFlag = (text: string): FlagWord | undefined => findWord(FLAGS, text)

function findWord<Word extends string>(
  words: Readonly<Record<string, Word>>,
  text: string,
): Word | undefined {
  const asked = text.toLowerCase().replace(/[\s_-]+/g, ' ')
  return Object.hasOwn(words, asked) ? words[asked] : undefined
}
