// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  'Calendar address': 'Kalenderadresse',
  'Calendar programs subscribe to it. Whoever has the address can read the calendar, without signing in.':
    'Kalenderprogramme können sie abonnieren. Wer die Adresse hat, kann den Kalender ohne Anmeldung lesen.',
  'Create calendar address': 'Kalenderadresse erstellen',
  'Calendar address created': 'Kalenderadresse erstellt',
  'Address {0}, created {1}': 'Adresse {0}, erstellt {1}',
  'In a calendar program, add a calendar “from URL” or “by subscription”, and paste it there.':
    'Fügen Sie im Kalenderprogramm einen Kalender „per URL“ oder „als Abonnement“ hinzu und setzen Sie die Adresse dort ein.',
  'Take back': 'Widerrufen',
  'Take back address {0}': 'Adresse {0} widerrufen',
  'Take back calendar address': 'Kalenderadresse widerrufen',
  'Take back address {0} of the calendar of {1}?': 'Adresse {0} des Kalenders von {1} widerrufen?',
  'Programs that use it are told at once that there is no such calendar, for good.':
    'Programme, die sie verwenden, erfahren sofort und endgültig, dass es diesen Kalender nicht gibt.',
  'Calendar address taken back.': 'Kalenderadresse widerrufen.',
  'This calendar address does not exist any more.': 'Diese Kalenderadresse gibt es nicht mehr.',
}
