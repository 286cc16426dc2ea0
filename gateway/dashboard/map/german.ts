// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // The map, and what stands on it.
  'Desks, rooms and parking of {0}': 'Tische, Räume und Parkplätze: {0}',
  'Whole floor': 'Ganze Etage',
  'All of it (0)': 'Alles zeigen (0)',
  Zoom: 'Zoom',
  Smaller: 'Verkleinern',
  'Smaller (−)': 'Verkleinern (−)',
  Larger: 'Vergrößern',
  'Larger (+)': 'Vergrößern (+)',
  Legend: 'Legende',
  List: 'Liste',
  Full: 'Vollständig',
  Initials: 'Initialen',
  Hidden: 'Ausgeblendet',
  Now: 'Jetzt',
  Close: 'Schließen',
  '# more are on the map.': { one: '# weiterer ist auf der Karte.', other: '# weitere sind auf der Karte.' },
  'Search all of them': 'Alle durchsuchen',

  // Who has it at a moment, and until when.
  occupied: 'belegt',
  Free: 'Frei',
  Taken: 'Belegt',
  'Blocked: nobody can book it': 'Gesperrt: kann nicht gebucht werden',
  'Free for at least a day': 'Mindestens einen Tag lang frei',
  'free for at least a day': 'mindestens einen Tag lang frei',
  'Free until {0}': 'Frei bis {0}',
  'free until {0}': 'frei bis {0}',
  'Assigned to {0}': 'Zugewiesen an {0}',
  'Assigned to nobody': 'Niemandem zugewiesen',
  '{0} has {1} from {2} until {3} ({4})': '{0} hat {1} von {2} bis {3} ({4})',
  '{0} has {1} from {2}, open-ended ({3})': '{0} hat {1} ab {2}, unbefristet ({3})',

  // What can be done about it.
  '{0}, deleted': '{0}, gelöscht',
  'Open {0}': '{0} öffnen',
  'Open booking': 'Buchung öffnen',
  'Book here': 'Hier buchen',

  // The moment, and where people are.
  'Time of day': 'Uhrzeit',
  'Live: this map updates automatically.': 'Live: Diese Karte aktualisiert sich von selbst.',
  'Back to now': 'Jetzt anzeigen',
  'Time zone: {0}.': 'Zeitzone: {0}.',
  'no desk or room at this time': 'zu dieser Zeit kein Tisch oder Raum',
  'assigned, not booked': 'zugewiesen, nicht gebucht',
  'until {0}': 'bis {0}',

  // Arranging the floor plan.
  'Arrange {0}': '{0} einrichten',
  'Floor plan of {0}': 'Grundriss: {0}',
  Undo: 'Rückgängig',
  Redo: 'Wiederholen',
  'Snap to grid': 'Am Raster ausrichten',
  'Every move is saved right away, and can be undone.':
    'Jede Änderung wird sofort gespeichert und kann rückgängig gemacht werden.',
  'How it works': 'So funktioniert es',
  'Drag each desk, room or parking spot into place, or tap it and then tap its position. With the keyboard, use the arrow keys (with Shift for small steps), and Delete to take it off the floor plan.':
    'Ziehen Sie jeden Tisch, Raum oder Parkplatz an seine Stelle, oder tippen Sie erst ihn und dann die Stelle an. Mit der Tastatur: Pfeiltasten zum Verschieben (mit Umschalt in kleinen Schritten), Entf zum Entfernen vom Grundriss.',
  'To move several together, select them first: Shift and click, draw a frame with the mouse, press Space, or use the list under “Place in rows”.':
    'Um mehrere zusammen zu verschieben, wählen Sie sie zuerst aus: mit Umschalt und Klick, mit einem Rahmen, mit der Leertaste oder in der Liste unter „In Reihen platzieren“.',
  'There is no floor plan yet.': 'Es gibt noch keinen Grundriss.',
  'Upload one': 'Grundriss hochladen',
  '{0}, then put everything in place.': '{0} und dann alles platzieren.',
  'Nothing to arrange yet': 'Noch nichts zu platzieren',
  '{0}, then put them in place.': '{0} und dann platzieren.',
  'Not on the floor plan': 'Nicht auf dem Grundriss',
  'Everything is on the floor plan.': 'Alles ist auf dem Grundriss.',
  '# desks and rooms, shown below the floor plan:': {
    one: '# Tisch oder Raum, unter dem Grundriss:',
    other: '# Tische und Räume, unter dem Grundriss:',
  },
  'Enter a position': 'Position eingeben',

  // Placing in rows.
  'Place in rows': 'In Reihen platzieren',
  Which: 'Welche',
  'All that are not on the floor plan': 'Alle, die nicht auf dem Grundriss sind',
  'Those selected below': 'Die unten ausgewählten',
  'How many in a row': 'Anzahl pro Reihe',
  'First from left (%)': 'Erster von links (%)',
  'First from top (%)': 'Erster von oben (%)',
  'Distance in a row (%)': 'Abstand in der Reihe (%)',
  'Between rows (%)': 'Abstand der Reihen (%)',
  '# desks and rooms placed in rows.': {
    one: '# Tisch oder Raum in Reihen platziert.',
    other: '# Tische und Räume in Reihen platziert.',
  },
  'Everything is on the floor plan already.': 'Es ist schon alles auf dem Grundriss.',
  'Some of these are no longer at this location. Choose again.':
    'Einige davon sind nicht mehr in diesem Bereich. Bitte wählen Sie neu aus.',
  'The last one would be off the floor plan. Use a shorter distance, or fewer in a row.':
    'Der letzte läge außerhalb des Grundrisses. Verringern Sie den Abstand oder die Anzahl pro Reihe.',
  'The last one would be off the floor plan. Use a shorter distance, or more in a row.':
    'Der letzte läge außerhalb des Grundrisses. Verringern Sie den Abstand oder erhöhen Sie die Anzahl pro Reihe.',
  'A move must say what, where to and where from.':
    'Eine Verschiebung muss angeben, was sich von wo wohin bewegt.',
}
