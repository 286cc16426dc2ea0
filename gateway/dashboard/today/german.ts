// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  'This page updates itself.': 'Diese Seite aktualisiert sich von selbst.',
  'All systems normal.': 'Alles in Ordnung.',
  'No buildings yet.': 'Noch keine Gebäude.',
  'Create one in {0}, then add its floors and what can be booked there.':
    'Legen Sie unter {0} eines an und fügen Sie dann seine Etagen hinzu und was dort gebucht werden kann.',

  // The figures of this moment.
  'people in today, {0} now': {
    one: 'Person heute da, {0} jetzt',
    other: 'Personen heute da, {0} jetzt',
  },
  'at home today, {0} now': 'heute im Homeoffice, {0} jetzt',
  'desks taken now': 'Tischen gerade belegt',
  'parking spots taken now': 'Parkplätzen gerade belegt',
  'rooms taken now': 'Räumen gerade belegt',
  'bookings start today': { one: 'Buchung beginnt heute', other: 'Buchungen beginnen heute' },

  // A building and its floors.
  Desks: 'Tische',
  Parking: 'Parkplätze',
  'Local time: {0} ({1}).': 'Ortszeit: {0} ({1}).',
  'No bookings start today.': 'Heute beginnen keine Buchungen.',
  '# bookings start today.': {
    one: 'Heute beginnt # Buchung.',
    other: 'Heute beginnen # Buchungen.',
  },
  'Taken now in {0}': 'Gerade belegt in {0}',
  'One more location is in {0}.': 'Ein weiterer Bereich steht unter {0}.',
  '{0} more locations are in {1}.': '{0} weitere Bereiche stehen unter {1}.',

  // The weeks, and the hours of today.
  'Bookings per day': 'Buchungen pro Tag',
  'No bookings start in these four weeks.': 'In diesen vier Wochen beginnen keine Buchungen.',
  '# bookings start in these four weeks.': {
    one: 'In diesen vier Wochen beginnt # Buchung.',
    other: 'In diesen vier Wochen beginnen # Buchungen.',
  },
  today: 'heute',
  'Desks by hour': 'Tische nach Uhrzeit',
  'Desks taken': 'Belegte Tische',
  'No desks are taken today.': 'Heute sind keine Tische belegt.',
  'Busiest at {0}: {1} of {2} desks.': 'Am meisten belegt um {0} Uhr: {1} von {2} Tischen.',
  'Days and hours are in the time zone of each building.':
    'Tage und Stunden gelten in der Zeitzone des jeweiligen Gebäudes.',

  // The first steps.
  'Create a building': 'Ein Gebäude anlegen',
  'Add a floor to it': 'Eine Etage hinzufügen',
  'Add its desks, rooms and parking': 'Tische, Räume und Parkplätze hinzufügen',
  'Upload its floor plan': 'Den Grundriss hochladen',
  'Import people, or add them': 'Personen importieren oder hinzufügen',
  'Create a token for other programs': 'Ein Token für andere Programme erstellen',
  'Book something for somebody': 'Etwas für jemanden buchen',
}
