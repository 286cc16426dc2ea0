// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  'Every change goes through a queue. This page updates itself.':
    'Jede Änderung geht durch eine Warteschlange. Diese Seite aktualisiert sich selbst.',

  // How the queues are.
  'All systems normal: no job is waiting long, and no failed job is left from the last hour.':
    'Alles läuft normal: Kein Auftrag wartet lange, und aus der letzten Stunde ist kein fehlgeschlagener übrig.',
  'Imports and exports that were accepted continue then.':
    'Angenommene Importe und Exporte werden dann fortgesetzt.',
  'The “{0}” queue is paused. Its jobs wait until someone resumes it.':
    'Die Warteschlange „{0}“ ist pausiert. Ihre Aufträge warten, bis jemand sie fortsetzt.',
  'No worker is running for the “{0}” queue.': 'Für die Warteschlange „{0}“ läuft kein Worker.',
  'The oldest job in the “{0}” queue has been waiting for {1}.':
    'Der älteste Auftrag in der Warteschlange „{0}“ wartet seit {1}.',
  '# jobs are waiting.': { one: '# Auftrag wartet.', other: '# Aufträge warten.' },
  '# jobs in the “{0}” queue failed in the last hour.': {
    one: '# Auftrag in der Warteschlange „{0}“ ist in der letzten Stunde fehlgeschlagen.',
    other: '# Aufträge in der Warteschlange „{0}“ sind in der letzten Stunde fehlgeschlagen.',
  },
  Queue: 'Warteschlange',
  paused: 'pausiert',
  Waiting: 'Wartend',
  'Oldest waiting': 'Am längsten wartend',
  'Typical wait': 'Übliche Wartezeit',
  Running: 'In Arbeit',
  'Done in the last hour': 'Erledigt in der letzten Stunde',
  'Failed in the last hour': 'Fehlgeschlagen in der letzten Stunde',

  // Imports and exports.
  'None in progress.': 'Keine in Arbeit.',
  Job: 'Auftrag',
  'Imports, exports and releases': 'Importe, Exporte und Freigaben',
  'Release of bookings': 'Freigabe von Buchungen',
  'Import of people': 'Import von Personen',
  'Export of people': 'Export von Personen',
  'Import of desks, rooms and parking': 'Import von Tischen, Räumen und Parkplätzen',
  running: 'läuft',
  Accepted: 'Angenommen',

  // What failed, and why.
  Failures: 'Fehlgeschlagene Aufträge',
  'No failed jobs. Those that were removed, or retried and done, are no longer listed.':
    'Keine fehlgeschlagenen Aufträge. Entfernte und mit Erfolg wiederholte stehen nicht mehr hier.',
  Source: 'Quelle',
  Count: 'Anzahl',
  'View the failed {0}': 'Fehlgeschlagenen Auftrag {0} ansehen',
  'unknown job': 'unbekannter Auftrag',
  'Unknown failure (see the log)': 'Unbekannter Fehler (siehe Log)',

  // Workers and services.
  Workers: 'Worker',
  Worker: 'Worker',
  Connected: 'Verbunden',
  'No workers connected.': 'Keine Worker verbunden.',
  'Start one: {0}, with the same REDIS_URL.': 'Starten Sie einen: {0}, mit derselben REDIS_URL.',
  Services: 'Dienste',
  Migrations: 'Migrationen',
  up: 'läuft',
  'up to date': 'aktuell',
  down: 'ausgefallen',

  // The queue board: its own program has its own German.
  'Queue board': 'Warteschlangen-Board',
  'Queue health': 'Zustand der Warteschlangen',
  Dashboard: 'Dashboard',
  'Loading…': 'Wird geladen …',
  'The queue board needs JavaScript. {0} works without it.':
    'Das Warteschlangen-Board braucht JavaScript. „{0}“ funktioniert ohne.',
  'Redis is not responding. The queues cannot be shown until it is back.':
    'Redis antwortet nicht. Die Warteschlangen können erst wieder angezeigt werden, wenn es antwortet.',
  'This page belongs to another session or has expired. Reload it and try again.':
    'Diese Seite gehört zu einer anderen Sitzung oder ist abgelaufen. Laden Sie sie neu, und versuchen Sie es noch einmal.',
  'Request not accepted': 'Anfrage nicht angenommen',
  'Only failed jobs can be retried.': 'Nur fehlgeschlagene Aufträge können wiederholt werden.',
  'Only finished jobs can be removed.': 'Nur beendete Aufträge können entfernt werden.',
  'This is turned off here: jobs come from requests only.':
    'Das ist hier ausgeschaltet: Aufträge entstehen nur aus Anfragen.',
  'Writes cannot be retried: whoever asked for one was told that it failed, and can repeat the request.':
    'Änderungen können nicht wiederholt werden: Wer sie wollte, hat vom Fehlschlag erfahren und kann es noch einmal versuchen.',
}
