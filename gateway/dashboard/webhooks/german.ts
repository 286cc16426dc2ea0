// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // The list.
  Webhook: 'Webhook',
  Webhooks: 'Webhooks',
  'They tell other programs what changes here, within seconds.':
    'Sie melden anderen Programmen innerhalb von Sekunden, was sich hier ändert.',
  'New webhook': 'Neuer Webhook',
  'No webhooks yet.': 'Noch keine Webhooks.',
  'Create one for each program that wants to be told of changes.':
    'Erstellen Sie einen für jedes Programm, das von Änderungen erfahren soll.',
  Receiver: 'Empfänger',
  Sends: 'Sendet',
  'All webhooks': 'Alle Webhooks',
  on: 'an',
  off: 'aus',
  'switched off': 'abgeschaltet',
  failing: 'schlägt fehl',
  'Last delivered': 'Zuletzt zugestellt',
  'Failing since': 'Schlägt fehl seit',

  // Its form.
  'Changes are sent here, as a POST with JSON.': 'Hierhin werden Änderungen gesendet, als POST mit JSON.',
  'What receives them, such as “Lobby display”.': 'Wer sie empfängt, zum Beispiel „Anzeige im Foyer“.',
  'Send changes of': 'Änderungen senden von',
  Users: 'Personen',
  'And these changes alone': 'Und diese Änderungen einzeln',
  'Such as booking.created booking.released, with spaces between.':
    'Zum Beispiel booking.created booking.released, mit Leerzeichen dazwischen.',
  'Create webhook': 'Webhook erstellen',
  'Webhook created': 'Webhook erstellt',
  '{0} is told of changes from now on.': '{0} erfährt ab jetzt von Änderungen.',
  'This webhook does not exist.': 'Diesen Webhook gibt es nicht.',

  // Its secret.
  Secret: 'Geheimnis',
  'Deliveries are signed with it. A new one is shown once, and the present one signs too for 24 hours.':
    'Damit werden Zustellungen signiert. Ein neues wird einmal angezeigt, und das jetzige signiert noch 24 Stunden mit.',
  'The one before signs until {0}; a new one takes its place.':
    'Das vorige signiert bis {0}; ein neues tritt an seine Stelle.',
  'Create new secret': 'Neues Geheimnis erstellen',
  'Deliveries to {0} are signed with this secret now, and for 24 hours with the one before too.':
    'Zustellungen an {0} werden jetzt mit diesem Geheimnis signiert, 24 Stunden lang auch noch mit dem vorigen.',
  'Copy the secret now: it is not shown again. The receiver checks with it that a delivery is from here, as {0} says.':
    'Kopieren Sie das Geheimnis jetzt: Es wird nicht noch einmal angezeigt. Der Empfänger prüft damit, ob eine Zustellung von hier kommt, wie in {0} beschrieben.',

  // Switching it on and off, and deleting it.
  'Switch on': 'Einschalten',
  'Switch off': 'Abschalten',
  'Leave it off': 'Abgeschaltet lassen',
  'Switched on. What was waiting is sent now.': 'Eingeschaltet. Was gewartet hat, wird jetzt gesendet.',
  'Switched off.': 'Abgeschaltet.',
  'Nothing is sent, and changes meanwhile are not sent later.':
    'Nichts wird gesendet; was sich inzwischen ändert, wird auch später nicht gesendet.',
  'Berth has switched this webhook off.': 'Berth hat diesen Webhook abgeschaltet.',
  'Berth has switched off the webhook {0}.': 'Berth hat den Webhook {0} abgeschaltet.',
  'Switch it on again when the receiver works, and send again what failed.':
    'Schalten Sie ihn wieder ein, wenn der Empfänger funktioniert, und senden Sie noch einmal, was fehlgeschlagen ist.',
  'Delete webhook': 'Webhook löschen',
  'Delete the webhook “{0}”?': 'Den Webhook „{0}“ löschen?',
  'Nothing more is sent, and its deliveries are deleted with it. To stop for a while, switch it off instead.':
    'Nichts wird mehr gesendet, und seine Zustellungen werden mit ihm gelöscht. Für eine Pause schalten Sie ihn stattdessen ab.',
  'Webhook deleted.': 'Webhook gelöscht.',

  // Its deliveries.
  Deliveries: 'Zustellungen',
  'Show only what is not delivered': 'Nur nicht Zugestelltes anzeigen',
  'Everything is delivered.': 'Alles ist zugestellt.',
  'Nothing was sent in the last 30 days.': 'In den letzten 30 Tagen wurde nichts gesendet.',
  'Send a test, or change something that this webhook is told of.':
    'Senden Sie einen Test oder ändern Sie etwas, wovon dieser Webhook erfährt.',
  '{0}, delivery {1}': '{0}, Zustellung {1}',
  State: 'Status',
  Answer: 'Antwort',
  Took: 'Dauer',
  Attempts: 'Versuche',
  'Next attempt': 'Nächster Versuch',
  delivered: 'zugestellt',
  waiting: 'wartet',
  'trying again': 'wird wiederholt',
  'Send test': 'Test senden',
  'Test sent. The answer appears under Deliveries.':
    'Test gesendet. Die Antwort erscheint unter „Zustellungen“.',
  'What was tried and not delivered can be sent again at once.':
    'Was versucht und nicht zugestellt wurde, können Sie sofort noch einmal senden.',
  'All that failed': 'Alles Fehlgeschlagene',
  'Send again all that failed': 'Alles Fehlgeschlagene noch einmal senden',
  'In the last hour': 'In der letzten Stunde',
  'In the last day': 'In den letzten 24 Stunden',
  'In the last week': 'In der letzten Woche',
  'In the last 30 days': 'In den letzten 30 Tagen',
  '# deliveries are sent again.': {
    one: '# Zustellung wird noch einmal gesendet.',
    other: '# Zustellungen werden noch einmal gesendet.',
  },
  'There are more: send again.': 'Es gibt weitere: Senden Sie noch einmal.',

  // One delivery.
  Delivery: 'Zustellung',
  'Delivery {0}': 'Zustellung {0}',
  'This delivery does not exist. Deliveries are kept for 30 days.':
    'Diese Zustellung gibt es nicht. Zustellungen werden 30 Tage aufbewahrt.',
  Sequence: 'Folgenummer',
  'webhook-id': 'webhook-id',
  Delivered: 'Zugestellt',
  'to {0}': 'an {0}',
  'What the receiver answered': 'Was der Empfänger geantwortet hat',
  'The first 1,024 characters.': 'Die ersten 1.024 Zeichen.',
  'Send again': 'Noch einmal senden',
  'Sent again. The answer appears under Deliveries.':
    'Noch einmal gesendet. Die Antwort erscheint unter „Zustellungen“.',
  'It is sent at once, under the same {0}, so that the receiver can tell that it has it already.':
    'Sie wird sofort gesendet, unter derselben {0}, damit der Empfänger erkennt, dass er sie schon hat.',
  'More than {0} are found, so they cannot be sorted by this column. The newest are first.':
    'Mehr als {0} gefunden, deshalb lassen sie sich nicht nach dieser Spalte sortieren. Die neuesten stehen oben.',
  'The webhook is switched off. Switch it on first.':
    'Der Webhook ist abgeschaltet. Schalten Sie ihn erst ein.',
}
