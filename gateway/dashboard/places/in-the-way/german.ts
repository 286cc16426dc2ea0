// What the files of this folder say, in German.
import type { Catalog } from '../../language/translate.ts'

export const german: Catalog = {
  'In the way': 'Im Weg',
  'In the way: # bookings': { one: 'Im Weg: # Buchung', other: 'Im Weg: # Buchungen' },
  'And {0} more.': 'Und {0} weitere.',
  'no end': 'unbefristet',

  'What becomes of them': 'Was mit ihnen geschieht',
  'These bookings stay as they are.': 'Diese Buchungen bleiben, wie sie sind.',
  'Move them': 'Umbuchen',
  'To what is free and of the same type in this building, the nearest first. Nothing is changed if one of them finds no place, or a rule forbids it.':
    'Auf das Nächste, das in diesem Gebäude frei und von derselben Art ist. Findet eine davon keinen Platz oder verbietet es eine Regel, wird nichts geändert.',
  'Move them, and release those that find no place': 'Umbuchen, und freigeben, was keinen Platz findet',
  'Release them': 'Freigeben',
  'Bookings that run now end now, the others are deleted. Rooms are taken from their events.':
    'Aktuelle Buchungen enden jetzt, die anderen werden gelöscht. Termine verlieren ihre Räume.',

  'What was in the way was moved.': 'Was im Weg war, wurde umgebucht.',
  'What was in the way was moved or released.': 'Was im Weg war, wurde umgebucht oder freigegeben.',
  'What was in the way was released.': 'Was im Weg war, wurde freigegeben.',
}
