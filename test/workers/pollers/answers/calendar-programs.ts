// Writes answers to an invitation in the formats of calendar programs: the calendar part and the mail around it.

/** The mail server of the tests, which checks senders. */
export const MX = 'mx.berth.example'

export type Status = 'ACCEPTED' | 'TENTATIVE' | 'DECLINED'
export type Answer = {
  /** The calendar part of the invitation. */
  invitation: string
  from: string
  status: Status
  /** The address in the calendar part. Defaults to the sender. */
  attendee?: string
  /** Defaults to now. */
  answeredAt?: Date
  messageId?: string
  sequence?: number
  /** The line with the date of a series that the answer is about. */
  recurrence?: string
  /** The headers that the mail server adds. */
  results?: string[]
}

const domainOf = (address: string) => address.slice(address.indexOf('@') + 1)

/** The header of the mail server for a mail that comes from its sender. */
export const passed = (address: string) =>
  `Authentication-Results: ${MX};\r\n dkim=pass (2048-bit key) header.d=${domainOf(address)} header.i=@${domainOf(address)};\r\n` +
  ` spf=pass (sender IP is 192.0.2.7) smtp.mailfrom=${address};\r\n dmarc=pass (p=REJECT sp=NONE) header.from=${domainOf(address)}`

const stampOf = (date: Date) => `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`

function detailsOf({
  invitation,
  from,
  attendee = from,
  answeredAt = new Date(),
  recurrence,
  ...answer
}: Answer) {
  const whole = invitation.replace(/\r\n /g, '')
  const find = (name: string) =>
    new RegExp(`^${name}(?:;[^:]*(?:"[^"]*"[^:]*)?)?:(.*)$`, 'm').exec(whole)?.[1]?.trim() ?? ''
  return {
    attendee,
    stamp: stampOf(answeredAt),
    uid: [find('UID'), ...(recurrence === undefined ? [] : [recurrence])].join('\r\n'),
    sequence: answer.sequence ?? Number(find('SEQUENCE')),
    start: find('DTSTART'),
    end: find('DTEND'),
    organizer: find('ORGANIZER'),
    summary: find('SUMMARY'),
  }
}

const folded = (lines: string[]) =>
  lines
    .flatMap((line) => line.split('\r\n'))
    .map((line) => `${line.replace(/(.{74})(?=.)/g, '$1\r\n ')}\r\n`)
    .join('')

const headersOf = ({ from, results = [passed(from)], messageId = `<${Math.random()}@program>` }: Answer) => [
  ...results,
  `From: Ada Lovelace <${from}>`,
  'To: answers@berth.example',
  `Message-ID: ${messageId}`,
  `Date: ${new Date().toUTCString()}`,
  'MIME-Version: 1.0',
]

const base64 = (text: string) =>
  Buffer.from(text)
    .toString('base64')
    .replace(/(.{76})/g, '$1\r\n')

const mail = (...parts: string[][]) => `${parts.flat().join('\r\n')}\r\n`

/** Exchange and Outlook: local times with the time zone of Windows, in Base64. */
export function outlook(answer: Answer): string {
  const { attendee, stamp, uid, sequence, start, end, summary } = detailsOf(answer)
  const words = { ACCEPTED: 'Accepted', TENTATIVE: 'Tentative', DECLINED: 'Declined' }[answer.status]
  const zone = 'TZID=W. Europe Standard Time'
  const rule = (month: number) => `RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=${month}`
  const calendar = folded([
    'BEGIN:VCALENDAR',
    'METHOD:REPLY',
    'PRODID:Microsoft Exchange Server 2010',
    'VERSION:2.0',
    'BEGIN:VTIMEZONE',
    'TZID:W. Europe Standard Time',
    'BEGIN:STANDARD',
    'DTSTART:16010101T030000',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0100',
    rule(10),
    'END:STANDARD',
    'BEGIN:DAYLIGHT',
    'DTSTART:16010101T020000',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    rule(3),
    'END:DAYLIGHT',
    'END:VTIMEZONE',
    'BEGIN:VEVENT',
    `ATTENDEE;PARTSTAT=${answer.status};CN=Ada Lovelace:mailto:${attendee}`,
    'COMMENT;LANGUAGE=de-DE:Ich freue mich\\, bis dann: Grüße\\n',
    `UID:${uid}`,
    `SUMMARY;LANGUAGE=de-DE:${words}: ${summary}`,
    `DTSTART;${zone}:${start.replace('Z', '')}`,
    `DTEND;${zone}:${end.replace('Z', '')}`,
    'CLASS:PUBLIC',
    'PRIORITY:5',
    `DTSTAMP:${stamp}`,
    'TRANSP:OPAQUE',
    'STATUS:CONFIRMED',
    `SEQUENCE:${sequence}`,
    'LOCATION;LANGUAGE=de-DE:',
    `X-MICROSOFT-CDO-APPT-SEQUENCE:${sequence}`,
    'X-MICROSOFT-CDO-BUSYSTATUS:BUSY',
    'X-MICROSOFT-DISALLOW-COUNTER:FALSE',
    'END:VEVENT',
    'END:VCALENDAR',
  ])
  return mail(headersOf(answer), [
    `Subject: ${words}: ${summary}`,
    'Content-Type: multipart/alternative; boundary="_000_VI1PR08"',
    '',
    '--_000_VI1PR08',
    'Content-Type: text/plain; charset="iso-8859-1"',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Ich freue mich, bis dann: Gr=FC=DFe',
    '--_000_VI1PR08',
    'Content-Type: text/calendar; charset="utf-8"; method=REPLY',
    'Content-Transfer-Encoding: base64',
    '',
    base64(calendar),
    '--_000_VI1PR08--',
  ])
}

/** Google Calendar: the calendar part as text, and once more as an attachment. */
export function google(answer: Answer): string {
  const { attendee, stamp, uid, sequence, start, end, organizer, summary } = detailsOf(answer)
  const calendar = folded([
    'BEGIN:VCALENDAR',
    'PRODID:-//Google Inc//Google Calendar 70.9054//EN',
    'VERSION:2.0',
    'CALSCALE:GREGORIAN',
    'METHOD:REPLY',
    'BEGIN:VEVENT',
    `DTSTART:${start}`,
    `DTEND:${end}`,
    `DTSTAMP:${stamp}`,
    `ORGANIZER;CN=Berth:${organizer}`,
    `UID:${uid}`,
    `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=${answer.status};CN=Ada Lovelace;X-NUM-GUESTS=0:mailto:${attendee}`,
    `CREATED:${stamp}`,
    'DESCRIPTION:',
    `LAST-MODIFIED:${stamp}`,
    'LOCATION:',
    `SEQUENCE:${sequence}`,
    'STATUS:CONFIRMED',
    `SUMMARY:${summary}`,
    'TRANSP:OPAQUE',
    'END:VEVENT',
    'END:VCALENDAR',
  ])
  return mail(headersOf(answer), [
    `Subject: Accepted: ${summary}`,
    'Content-Type: multipart/mixed; boundary="0000000000001"',
    '',
    '--0000000000001',
    'Content-Type: multipart/alternative; boundary="0000000000002"',
    '',
    '--0000000000002',
    'Content-Type: text/plain; charset="UTF-8"; format=flowed; delsp=yes',
    'Content-Transfer-Encoding: base64',
    '',
    base64('Ada Lovelace has accepted this invitation.'),
    '--0000000000002',
    'Content-Type: text/html; charset="UTF-8"',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<p style=3D"margin:0">Ada Lovelace has accepted this invitation.</p>',
    '--0000000000002',
    'Content-Type: text/calendar; charset="UTF-8"; method=REPLY',
    'Content-Transfer-Encoding: 7bit',
    '',
    calendar,
    '--0000000000002--',
    '--0000000000001',
    'Content-Type: application/ics; name="invite.ics"',
    'Content-Disposition: attachment; filename="invite.ics"',
    'Content-Transfer-Encoding: base64',
    '',
    base64(calendar),
    '--0000000000001--',
  ])
}

const quoted = (text: string) =>
  text
    .split('\r\n')
    .map((line) => line.replaceAll('=', '=3D').replace(/(.{70})(?=.)/g, '$1=\r\n'))
    .join('\r\n')

/** Apple Calendar: quoted-printable, parameters in quotes, and addresses with capital letters. */
export function apple(answer: Answer): string {
  const { attendee, stamp, uid, sequence, start, end, organizer, summary } = detailsOf(answer)
  const address = attendee.replace(/^./, (first) => first.toUpperCase())
  const calendar = folded([
    'BEGIN:VCALENDAR',
    'CALSCALE:GREGORIAN',
    'METHOD:REPLY',
    'PRODID:-//Apple Inc.//macOS 14.5//EN',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    `ATTENDEE;CN="Lovelace; Ada: Countess";CUTYPE=INDIVIDUAL;EMAIL="${address}";PARTSTAT=${answer.status};ROLE=REQ-PARTICIPANT:mailto:${address}`,
    `DTEND:${end}`,
    `DTSTAMP:${stamp}`,
    `DTSTART:${start}`,
    `LAST-MODIFIED:${stamp}`,
    `ORGANIZER;CN="Berth":${organizer}`,
    `SEQUENCE:${sequence}`,
    `SUMMARY:${summary}`,
    `UID:${uid}`,
    'BEGIN:VALARM',
    'ACTION:EMAIL',
    'ATTENDEE:mailto:alarm@visitor.example',
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
  ])
  return mail(headersOf(answer), [
    `Subject: Declined: ${summary}`,
    'Content-Type: multipart/mixed; boundary="Apple-Mail=_1"',
    '',
    '--Apple-Mail=_1',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'Ada Lovelace has answered.',
    '--Apple-Mail=_1',
    'Content-Type: text/calendar; charset=utf-8; method=REPLY; name=reply.ics',
    'Content-Disposition: attachment; filename=reply.ics',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    quoted(calendar),
    '--Apple-Mail=_1--',
  ])
}
