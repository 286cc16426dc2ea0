// What the files of this folder say, in German; the words that every part uses are in words-german.ts.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // The sections, and the frame of a page.
  Today: 'Heute',
  Places: 'Orte',
  Bookings: 'Buchungen',
  Events: 'Termine',
  People: 'Personen',
  Reports: 'Berichte',
  Queues: 'Warteschlangen',
  'Audit log': 'Protokoll',
  API: 'API',
  Settings: 'Einstellungen',
  Menu: 'Menü',
  Sections: 'Bereiche der Seite',
  Everything: 'Alles',
  'Find anything': 'Alles durchsuchen',
  'Find anything ( / )': 'Suchen ( / )',
  'Skip to content': 'Zum Inhalt springen',
  'Sign in': 'Anmelden',
  'Sign out': 'Abmelden',
  Breadcrumbs: 'Übergeordnete Seiten',

  // Forms.
  optional: 'optional',
  empty: 'leer',
  '“{0}”': '„{0}“',
  'The marked fields are ignored until they are fixed.':
    'Die markierten Felder werden erst beachtet, wenn sie korrigiert sind.',
  'Not saved. Please fix the marked fields.':
    'Nicht gespeichert. Bitte korrigieren Sie die markierten Felder.',
  'Changed meanwhile: {0}': 'Inzwischen geändert: {0}',
  'Check it, and save again to keep what the form shows now.':
    'Prüfen Sie es und speichern Sie noch einmal, um den Stand des Formulars zu behalten.',
  '{0} was {1}, is now {2}.': '{0} war {1}, ist jetzt {2}.',
  '{0} was {1}, is now {2}. You entered {3}.': '{0} war {1}, ist jetzt {2}. Sie haben {3} eingegeben.',

  // Lists.
  Pages: 'Seiten',
  Previous: 'Zurück',
  Next: 'Weiter',
  'Page {0}': 'Seite {0}',
  '{0} of {1}': '{0} von {1}',
  '{0} of more than {1}': '{0} von mehr als {1}',
  'Nothing on page {0}.': 'Auf Seite {0} steht nichts.',
  'The list has become shorter, or it never was that long.':
    'Die Liste ist kürzer geworden oder war nie so lang.',
  'Go to the first page': 'Zur ersten Seite',
  Names: 'Namen',
  '{0} and {1}': '{0} und {1}',
  '{0} and # more': { one: '{0} und # weiteres', other: '{0} und # weitere' },
  'Show as a table': 'Als Tabelle anzeigen',
  'No data.': 'Keine Daten.',

  // Failures.
  'Status {0}, request ID {1}': 'Status {0}, Anfrage-ID {1}',
  'Go to the dashboard': 'Zur Startseite',
}
