"""Operations on each element or on whole tensors."""
