// The API endpoints for the loans of an assigned bookable.
import { loanSchema, newLoanSchema } from '../../../../shared/loans/loans.ts'
import { loanJson } from '../../../../shared/loans/loans-shape.ts'
import { message } from '../../../../shared/messages/message.ts'
import {
  declareListEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'

const loanOptions = {
  tag: 'Bookables',
  ability: 'object-write',
  missing: message`There is no desk or room with this id.`,
} as const

export const loanEndpoints = declareResourceEndpoints(loanOptions)({
  listBookableLoans: declareListEndpoint('/bookables/{bookable_id}/loans', {
    personal: 'own',
    ability: 'read',
    summary: 'List the loans of a bookable',
    description:
      'Loans that ended more than a year ago are deleted. A personal token only sees loans of its owner.',
    item: loanSchema,
    listing: {
      name: 'loans-of-bookable',
      item: loanJson,
      rows: 'loans WHERE loans.bookable_id = $1 AND loans.user_id IS NOT NULL',
      order: { 'loans.id': 'bigint' },
      parent: 'EXISTS (SELECT FROM bookables WHERE id = $1 AND deleted_at IS NULL)',
    },
  }),
  createBookableLoan: declareWriteEndpoint('POST /bookables/{bookable_id}/loans', {
    personal: 'own',
    personalAbility: 'booking-write',
    ownerField: 'user_id',
    summary: 'Lend an assigned bookable',
    description:
      'On the days of a loan, everybody who may book at this place may book the bookable, which stays assigned (status 2). ' +
      'A personal token can lend bookables that are assigned to its owner, and needs the ability booking-write.',
    body: newLoanSchema,
    refusals: ['in_use'],
    job: 'loans.create',
  }),
  deleteBookableLoan: declareWriteEndpoint('DELETE /bookables/{bookable_id}/loans/{loan_id}', {
    personal: 'own',
    personalAbility: 'booking-write',
    summary: 'End a loan of a bookable',
    description:
      'Refused if somebody else has booked the bookable on these days. The message names the person, unless they hide from the owner.',
    refusals: ['in_use'],
    missing: message`This desk or room has no loan with this id.`,
    job: 'loans.delete',
  }),
})
