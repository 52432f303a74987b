/** The states of a payment, from its beginning to its end. */
export const paymentStates = ['intended', 'paying', 'unknown', 'paid', 'refused'] as const;

/** The states of a report to the service, from its beginning to its end. */
export const reportStates = ['pending', 'sent', 'confirmed', 'conflict'] as const;
