// @ts-check
// The German translations of the scripts' sentences.

/** @type {import('./translate.js').Catalog} */
export const german = {
  Copied: 'Kopiert',
  'Press Ctrl+C': 'Strg+C drücken',
  'Berth could not be reached.': 'Berth ist nicht erreichbar.',
  'Could not save.': 'Es konnte nicht gespeichert werden.',
  'Change # selected': { one: '# ausgewählten Eintrag ändern', other: '# ausgewählte Einträge ändern' },

  // Search, and planning a meeting.
  '{0} found.': '{0} gefunden.',
  '{0} added.': '{0} hinzugefügt.',
  '{0} removed.': '{0} entfernt.',
  'Name, or e-mail of a visitor': 'Name einer Person oder E-Mail eines Besuchers',
  People: 'Personen',

  // The timeline of a day.
  'Saving…': 'Wird gespeichert …',
  'Saved: {0}, {1} to {2}.': 'Gespeichert: {0}, {1} bis {2}.',
  'Not saved. {0}': 'Nicht gespeichert. {0}',

  // Arranging a floor plan.
  'Everything is on the floor plan.': 'Alles ist auf dem Grundriss.',
  '{0} of {1} desks and rooms:': '{0} von {1} Tischen und Räumen:',
  '{0}: {1} % from the left, {2} % from the top': '{0}: {1} % von links, {2} % von oben',
  '{0}: not on the floor plan': '{0}: nicht auf dem Grundriss',
  '{0} and # more': { one: '{0} und # weiterer', other: '{0} und # weitere' },
  'Nothing is selected.': 'Nichts ist ausgewählt.',
  '{0}: now tap its position on the floor plan.': '{0}: Tippen Sie jetzt auf die Stelle im Grundriss.',
  '{0} selected: {1}. Drag one of them, or use the arrow keys.':
    '{0} ausgewählt: {1}. Ziehen Sie einen davon oder nutzen Sie die Pfeiltasten.',
  'Saving {0}…': '{0} wird gespeichert …',
  '{0} saved.': '{0} gespeichert.',
  'Undone: {0} saved.': 'Rückgängig gemacht: {0} gespeichert.',
  'Redone: {0} saved.': 'Wiederholt: {0} gespeichert.',
  'Nothing to undo.': 'Es gibt nichts rückgängig zu machen.',
  'Nothing to redo.': 'Es gibt nichts zu wiederholen.',
  '{0} was not moved. {1}': '{0} wurde nicht verschoben. {1}',
  '{0} were not moved. {1}': '{0} wurden nicht verschoben. {1}',
  'Another user has moved it.': 'Jemand anderes hat ihn inzwischen verschoben.',
  'Another user has moved {0}.': 'Jemand anderes hat {0} inzwischen verschoben.',
  '{0} is no longer here.': '{0} ist nicht mehr hier.',
  '{0} are no longer here.': '{0} sind nicht mehr hier.',
  'Nothing to place yet.': 'Noch nichts zu platzieren.',
  '# desks and rooms': { one: '# Tisch oder Raum', other: '# Tische und Räume' },
  'Preview: {0} in # rows.': { one: 'Vorschau: {0} in # Reihe.', other: 'Vorschau: {0} in # Reihen.' },

  // Trying the API.
  'Waiting for the answer…': 'Warten auf die Antwort …',
  'No answer: {0}.': 'Keine Antwort: {0}.',
  Answer: 'Antwort',
  'in {0} ms, {1} bytes': 'in {0} ms, {1} Bytes',
  Headers: 'Header',
  'The body is empty.': 'Der Inhalt ist leer.',
  'Save {0} ({1})': '{0} speichern ({1})',
}
