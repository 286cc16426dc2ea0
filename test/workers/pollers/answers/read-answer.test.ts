// Tests that broken mails do not stop the reader of answers, and that a damaged answer never counts as another answer.
import { expect } from 'chai'
import fc from 'fast-check'
import { ATTENDEE_STATUSES } from '../../../../shared/events/events.ts'
import { readAnswer } from '../../../../workers/pollers/answers/read-answer.ts'
import { promised } from '../../../support/time.ts'
import { apple, google, MX, outlook } from './calendar-programs.ts'

const FROM = 'ada@example.com'
const INVITATION = [
  'UID:event-7@5e4bd0cd.berth',
  'SEQUENCE:3',
  'DTSTART:20261201T090000Z',
  'DTEND:20261201T100000Z',
  'SUMMARY:Harbour plans',
  'ORGANIZER;CN="Berth":mailto:answers@berth.example',
  '',
].join('\r\n')
const answeredAt = new Date('2026-11-29T10:00:00Z')
const answer = {
  invitation: INVITATION,
  from: FROM,
  status: 'TENTATIVE',
  answeredAt,
  messageId: '<1@program>',
} as const
const READ = {
  messageId: '<1@program>',
  uid: 'event-7@5e4bd0cd.berth',
  email: FROM,
  status: ATTENDEE_STATUSES.tentative,
  sequence: 3,
  answeredAt: answeredAt.toISOString(),
}
const read = (mail: string | Buffer, authenticatedBy: string | undefined = MX) =>
  readAnswer(Buffer.from(mail as string), { authenticatedBy })

describe('reading an answer from a mail', () => {
  for (const [program, write] of Object.entries({ outlook, google, apple }))
    it(`finds every relevant field in a reply from ${program}`, async () => {
      expect(await read(write(answer))).to.deep.equal(READ)
      // Some mail servers and programs change the line ends.
      expect(await read(write(answer).replaceAll('\r\n', '\n'))).to.deep.equal(READ)
    })

  it('never fails or returns another answer if the mail is cut or damaged', async () => {
    const mails = [outlook, google, apple].map((write) => write(answer))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...mails),
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
        async (mail, end, changes) => {
          const bytes = Buffer.from(mail)
          for (const [at, value] of changes) bytes[at % bytes.length] = value
          const found = await read(bytes.subarray(0, bytes.length - (end % bytes.length)))
          if (typeof found !== 'string' && changes.length === 0) expect(found).to.deep.equal(READ)
        },
      ),
      { numRuns: 1_000, seed: 7 },
    )
  })

  it('trusts no sender if the mail has two From headers, or names the sender only in a forwarded mail', async () => {
    const mail = google(answer)
    expect(await read(mail.replace(/^From: .*$/m, `From: a@example.org, ${FROM}`))).to.equal('forged')
    expect(await read(mail.replace(/^From: .*\r\n/m, ''))).to.equal('forged')
    const forwarded = `From: eve@example.org\r\nContent-Type: message/rfc822\r\n\r\n${mail}`
    expect(await read(forwarded)).to.equal('no-answer')
  })

  it('finds which date of a series the attendee answers for', async () => {
    const withRecurrence = (line: string) =>
      read(apple(answer).replace('SEQUENCE:3', `${line}\r\nSEQUENCE:3`))
    expect(await withRecurrence('RECURRENCE-ID:20261201T090000Z')).to.deep.equal({
      ...READ,
      recurrence: { value: '20261201T090000Z', timezone: undefined },
    })
    expect(await withRecurrence('RECURRENCE-ID;TZID="Europe/Berlin":20261201T100000')).to.deep.equal({
      ...READ,
      recurrence: { value: '20261201T100000', timezone: 'Europe/Berlin' },
    })
    expect(await withRecurrence('RECURRENCE-ID:tomorrow')).to.equal('unreadable')
  })

  it('is as fast with hostile text', async () => {
    const calendar = (line: string) =>
      `From: ${FROM}\r\nContent-Type: text/calendar; method=REPLY\r\n\r\nBEGIN:VCALENDAR\r\nMETHOD:REPLY\r\n${line}\r\nEND:VCALENDAR\r\n`
    const startedMs = performance.now()
    for (const line of [
      `ATTENDEE${';X="a"'.repeat(20_000)}`,
      `ATTENDEE${';X='.repeat(40_000)}"`,
      'BEGIN:VEVENT\r\n'.repeat(10_000),
      `A${'"'.repeat(200_000)}`,
      ' \r\n'.repeat(60_000),
    ])
      await read(calendar(line))
    const results = `Authentication-Results: ${MX}; ${'('.repeat(300_000)}${'dmarc='.repeat(50_000)}\r\n`
    expect(await read(`${results}${google({ ...answer, results: [] })}`)).to.equal('unverified')
    expect(performance.now() - startedMs).to.be.below(promised(2_000))
  })
})
