// What is refused of places, floor plans, and what can be booked there, in German. Values are {0}, {1}… in the order of the
// English sentence.

export const germanPlaceMessages: Record<string, string> = {
  // Places, and what is in them.
  '{0}, so it cannot be assigned yet.': '{0}. Darum kann noch nicht zugewiesen werden.',
  'It can be assigned to at most {0} people.': 'Höchstens {0} Personen können zugewiesen sein.',
  '{0} is assigned, so its status cannot be changed. End the assignment in the dashboard first.':
    '{0} ist zugewiesen, darum kann der Status nicht geändert werden. Beenden Sie zuerst die Zuweisung.',
  'There are current or upcoming bookings or events of {0}. Nothing was deleted.':
    'Es gibt aktuelle oder kommende Buchungen oder Termine: {0}. Nichts wurde gelöscht.',
  '{0} is assigned. End the assignment first, or leave them out. Nothing was changed.':
    '{0} ist zugewiesen. Beenden Sie zuerst die Zuweisung. Nichts wurde geändert.',
  '{0} are assigned. End the assignment first, or leave them out. Nothing was changed.':
    '{0} sind zugewiesen. Beenden Sie zuerst die Zuweisung. Nichts wurde geändert.',
  '{0} is assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.':
    '{0} ist jemand anderem zugewiesen. Beenden Sie zuerst die Zuweisung. Nichts wurde geändert.',
  '{0} are assigned to somebody else. End the assignment first, or leave them out. Nothing was changed.':
    '{0} sind jemand anderem zugewiesen. Beenden Sie zuerst die Zuweisung. Nichts wurde geändert.',
  '{0} has {1} by other people, events included': '{0} hat {1} von anderen, Termine eingeschlossen',
  '{0} has {1}, events included, so it cannot be made a home office yet.':
    '{0} hat {1}, Termine eingeschlossen, und kann noch kein Homeoffice werden.',
  '{0} has {1}, events included, so it cannot be made anything but a home office yet.':
    '{0} hat {1}, Termine eingeschlossen, und muss noch ein Homeoffice bleiben.',
  'More than {0} or events are in the way, and at most so many can be moved at once. Nothing was changed.':
    'Mehr als {0} oder Termine sind im Weg; mehr können nicht auf einmal umgebucht werden. Nichts wurde geändert.',
  'More than {0} or events are in the way, and at most so many can be released at once. Nothing was changed.':
    'Mehr als {0} oder Termine sind im Weg; mehr können nicht auf einmal freigegeben werden. Nichts wurde geändert.',
  'Enter both numbers, or leave both empty to take it off the floor plan.':
    'Geben Sie beide Zahlen ein, oder lassen Sie beide leer, um die Position zu entfernen.',
  'Enter a tag to add or to remove.': 'Geben Sie Tags zum Hinzufügen oder Entfernen ein.',
  'Up to {0} can be changed at once.': 'Höchstens {0} können auf einmal geändert werden.',
  '{0} would have more than {1} tags. Nothing was changed.':
    '{0} hätte mehr als {1} Tags. Nichts wurde geändert.',
  'Others are changing these right now. Nothing was changed: try again.':
    'Andere ändern diese gerade. Nichts wurde geändert: Versuchen Sie es noch einmal.',
  'Somebody else has moved {0} meanwhile. Nothing was saved.':
    'Jemand hat {0} inzwischen verschoben. Nichts wurde gespeichert.',
  'Others are booking here right now. Nothing was changed: try again.':
    'Andere buchen hier gerade. Nichts wurde geändert: Versuchen Sie es noch einmal.',
  '{0} is in the way, events included: {1}. Nothing was changed yet.':
    '{0} ist im Weg, Termine eingeschlossen: {1}. Noch wurde nichts geändert.',
  '{0} are in the way, events included: {1}. Nothing was changed yet.':
    '{0} sind im Weg, Termine eingeschlossen: {1}. Noch wurde nichts geändert.',
  'Nothing of the same type is free near by for {0} of {1}. Nothing was changed.':
    'Für {0} ({1}) gibt es in der Nähe nichts Freies derselben Art. Nichts wurde geändert.',
  'A rule forbids moving {0} of {1}: {2} Nothing was changed.':
    'Eine Regel verbietet es, {0} umzubuchen ({1}): {2} Nichts wurde geändert.',
  'Nothing of the same type is free near by for {0} of {1}. A rule forbids moving {2} of {3}: {4} Nothing was changed.':
    'Für {0} ({1}) gibt es in der Nähe nichts Freies derselben Art. Eine Regel verbietet es, {2} umzubuchen ({3}): {4} Nichts wurde geändert.',
  '{0} still has {1}. Delete or move it first.':
    '{0} hat noch {1}. Löschen oder verschieben Sie zuerst das, was dort ist.',
  '{0} still has {1}. Delete or move them first.':
    '{0} hat noch {1}. Löschen oder verschieben Sie diese zuerst.',
  '{0} cannot be deleted because it is needed for {1}.':
    '{0} kann nicht gelöscht werden, weil vergangene Buchungen darauf verweisen.',
  'A floor plan must be a PNG or JPEG picture; this file is neither.':
    'Ein Grundriss muss ein Bild im Format PNG oder JPEG sein; diese Datei ist keines von beiden.',
  'The picture is damaged and cannot be read.': 'Das Bild ist beschädigt und kann nicht gelesen werden.',
  'The picture has {0} pixels; a floor plan can have at most 100 million.':
    'Das Bild hat {0} Pixel; ein Grundriss darf höchstens 100 Millionen haben.',
  'A floor plan can have at most {0} MiB.': 'Ein Grundriss darf höchstens {0} MiB groß sein.',
  'The uploaded file no longer exists. Upload it again.':
    'Die hochgeladene Datei gibt es nicht mehr. Laden Sie sie noch einmal hoch.',
  'It has more than {0} bookables, which is too many to copy at once.':
    'Dort sind mehr als {0} Tische und Räume: zu viele, um sie auf einmal zu kopieren.',
}
