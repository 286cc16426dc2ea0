// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // Which days, hours and places.
  'Last week': 'Letzte Woche',
  'Last month': 'Letzter Monat',
  'Last quarter': 'Letztes Quartal',
  'Last year': 'Letztes Jahr',
  Hours: 'Uhrzeiten',
  '8:00 to 18:00': '8:00 bis 18:00 Uhr',
  '7:00 to 20:00': '7:00 bis 20:00 Uhr',
  'All day': 'Ganztägig',
  'all day': 'ganztägig',
  'from {0}': 'von {0}',
  'Days are those of each building; today is counted when it is over.':
    'Es gelten die Tage der einzelnen Gebäude; heute zählt erst, wenn der Tag vorbei ist.',
  'These days are not over yet.': 'Diese Tage sind noch nicht vorbei.',
  'No figures of these days.': 'Keine Zahlen für diese Tage.',
  'A day is counted an hour after it is over, by a worker for upkeep.':
    'Ein Tag wird eine Stunde nach seinem Ende gezählt, von einem Worker für „upkeep“.',
  'Figures are complete up to {0} so far. Later days are being counted.':
    'Die Zahlen sind bisher bis {0} vollständig. Spätere Tage werden noch gezählt.',

  // What they show.
  utilisation: 'Auslastung',
  Utilisation: 'Auslastung',
  bookings: { one: 'Buchung', other: 'Buchungen' },
  'no-shows': { one: 'No-Show', other: 'No-Shows' },
  'no-shows, {0} of bookings': {
    one: 'No-Show, {0} der Buchungen',
    other: 'No-Shows, {0} der Buchungen',
  },
  'No-shows': 'No-Shows',
  Booked: 'Gebucht',
  Weekday: 'Wochentag',
  Hour: 'Stunde',
  'By weekday': 'Nach Wochentag',
  'No-shows by weekday': 'No-Shows nach Wochentag',
  'By hour': 'Nach Uhrzeit',
  'By type': 'Nach Art',
  'By floor': 'Nach Etage',
  'Utilisation by type': 'Auslastung nach Art',
  'Utilisation by floor': 'Auslastung nach Etage',
  'Busiest on {0}: {1} utilisation.': 'Am meisten belegt am {0}: {1} Auslastung.',
  'Busiest at {0}: {1} utilisation.': 'Am meisten belegt um {0} Uhr: {1} Auslastung.',
  '# bookings were released because nobody checked in.': {
    one: '# Buchung wurde freigegeben, weil niemand eingecheckt hat.',
    other: '# Buchungen wurden freigegeben, weil niemand eingecheckt hat.',
  },
  '# more floors are in the files below.': {
    one: '# weitere Etage ist in den Dateien unten.',
    other: '# weitere Etagen sind in den Dateien unten.',
  },
  'No figures.': 'Keine Zahlen.',
  Busiest: 'Am meisten gebucht',
  Idlest: 'Am wenigsten gebucht',
  'Nothing was booked on these days.': 'An diesen Tagen wurde nichts gebucht.',
  'There is nothing that everybody may book.': 'Es gibt nichts, das alle buchen dürfen.',
  'Utilisation is the share of the time that was booked, {0}, {1}. What was blocked, assigned or closed counts too. A no-show is a booking that was released because nobody checked in. The busiest and the idlest are those with the most and the fewest booked hours of any time and day.':
    'Die Auslastung ist der Anteil der Zeit, der gebucht war ({0}, {1}). Auch was gesperrt, zugewiesen oder geschlossen war, zählt mit. Ein No-Show ist eine Buchung, die freigegeben wurde, weil niemand eingecheckt hat. Am meisten und am wenigsten gebucht ist, was die meisten und die wenigsten gebuchten Stunden hat, gleich zu welcher Uhrzeit und an welchem Tag.',
  'Days of each floor: {0}, {1}.': 'Tage je Etage: {0}, {1}.',
  'Sums of each desk, room and parking spot: {0}, {1}.': 'Summen je Tisch, Raum und Parkplatz: {0}, {1}.',
}
