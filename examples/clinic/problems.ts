import { defineProblem } from 'gatewright';

export const tooLate = defineProblem({
  status: 409,
  number: 50,
  message: { en: 'The appointment has begun', de: 'Der Termin hat begonnen' },
});

export const notBooked = defineProblem({
  status: 409,
  number: 51,
  message: { en: 'The appointment is not booked', de: 'Der Termin ist nicht gebucht' },
});
