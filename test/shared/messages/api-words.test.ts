import { expect } from 'chai'
import { messageCatalogs, writeInLanguage } from '../../../shared/messages/catalogs.ts'
import { countedMessage, message } from '../../../shared/messages/message.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'

describe('error messages of the API', () => {
  it('call people users, meetings events and floors locations', () => {
    expect(writeEnglish(message`There is no building, floor or active person with this id.`)).to.equal(
      'There is no building, location or active user with this id.',
    )
    expect(writeEnglish(message`Now a meeting: ${'Retro'}`)).to.equal('Now an event: Retro')
    expect(writeEnglish(message`This desk or room no longer exists.`)).to.equal(
      'This bookable no longer exists.',
    )
  })

  it('do not change the words in names, “floor plan” or “meeting room”', () => {
    expect(writeEnglish(message`${'Meeting floor'} is not on this floor.`)).to.equal(
      'Meeting floor is not in this location.',
    )
    expect(writeEnglish(message`This floor has no floor plan.`)).to.equal('This location has no floor plan.')
    expect(writeEnglish(message`the type must be desk, parking spot, meeting room or home office`)).to.equal(
      'the type must be desk, parking spot, meeting room or home office',
    )
  })

  it('use the API’s words in the singular and the plural', () => {
    const sentences = [1, 2].map((count) =>
      writeEnglish(countedMessage(count, '# floor of {0}.', '# floors of {0}.', 'B1')),
    )
    expect(sentences).to.eql(['1 location of B1.', '2 locations of B1.'])
  })

  it('never use the words that are reserved for pages', () => {
    const ofPages = /\b(person|people(?!’s own pages)|meetings?(?! room)|floors?(?! plan))\b/i
    const written = Object.keys(messageCatalogs.de).map((text) => writeEnglish({ text }))
    expect(written.filter((text) => ofPages.test(text))).to.eql([])
  })

  it('use the words of the pages in mails and files', () => {
    expect(writeInLanguage('en', message`There is no floor with this id.`)).to.equal(
      'There is no floor with this id.',
    )
  })
})
