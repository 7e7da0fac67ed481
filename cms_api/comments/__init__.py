"""What visitors say beneath the items of types that take comments, once somebody has read it."""
